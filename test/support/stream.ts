export interface Streamed {
  data?: Record<string, Record<string, unknown>>;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

export interface Following {
  status: number;
  /** What has come so far, one entry for each event of the stream. */
  got: Streamed[];
  /** Resolves when the stream has ended. */
  over: Promise<void>;
  stop: () => void;
}

/** Subscribes over server-sent events, as a browser would. */
export async function follow(url: string, key: string, subscription: string): Promise<Following> {
  const stopping = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: stopping.signal,
    headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: `subscription { ${subscription} }` }),
  });
  const got: Streamed[] = [];
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = /^data: (.+)$/m.exec(part)?.[1];
        if (/^event: next$/m.test(part) && data) got.push(JSON.parse(data) as Streamed);
      }
    }
  };
  const over = read().catch(() => undefined);
  return { status: response.status, got, over, stop: () => stopping.abort() };
}
