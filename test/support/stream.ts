export interface Streamed {
  data?: Record<string, Record<string, unknown>>;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

export interface Following {
  status: number;
  /** What has come so far, one entry for each event of the stream; a refusal in JSON is one too. */
  got: Streamed[];
  /** Parts without an event; only a multipart stream has them. */
  heartbeats: () => number;
  /** All that has come so far. */
  text: () => string;
  /** Resolves when the stream has ended. */
  over: Promise<void>;
  stop: () => void;
}

/** Subscribes over server-sent events as a browser would, or over another protocol that `accept` names. */
export async function follow(
  url: string,
  key: string,
  subscription: string,
  accept = 'text/event-stream',
): Promise<Following> {
  const stopping = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: stopping.signal,
    headers: { Accept: accept, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: `subscription { ${subscription} }` }),
  });
  const isMultipart = response.headers.get('content-type')?.startsWith('multipart/') ?? false;
  const [got, all] = [[] as Streamed[], [] as string[]];
  let heartbeats = 0;
  const take = (part: string): void => {
    const body = isMultipart ? /^\{.*\}$/m.exec(part)?.[0] : /^event: next\ndata: (.+)$/m.exec(part)?.[1];
    const parsed = body && (JSON.parse(body) as { payload?: Streamed });
    if (isMultipart && parsed) {
      if (parsed.payload) got.push(parsed.payload);
      else heartbeats += 1;
    } else if (parsed) got.push(parsed as Streamed);
  };
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      all.push(chunk);
      text += chunk;
      const parts = text.split(isMultipart ? '\r\n--graphql' : '\n\n');
      text = parts.pop() ?? '';
      parts.forEach(take);
    }
    if (response.headers.get('content-type')?.includes('json')) got.push(JSON.parse(text) as Streamed);
  };
  const over = read().catch(() => undefined);
  const { status } = response;
  return { status, got, heartbeats: () => heartbeats, text: () => all.join(''), over, stop: () => stopping.abort() };
}
