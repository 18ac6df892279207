import { Agent, DecoratorHandler, getGlobalDispatcher, setGlobalDispatcher, type Dispatcher } from 'undici';

/** One request and its answer, as they went over the wire. */
export interface Exchange {
  method: string;
  url: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

export interface Recorder {
  /** Returns what the calls made of `run` sent and received, also those of a run that fails. */
  during: (run: () => Promise<unknown>) => Promise<{ exchanges: Exchange[]; error?: unknown }>;
  /** Leaves the calls of `run` out. */
  quietly: <T>(run: () => Promise<T>) => Promise<T>;
  stop: () => Promise<void>;
}

/** Records all requests of this process that use the global dispatcher, which is what adapters use. */
export function startRecorder(): Recorder {
  let current: Exchange[] | undefined;
  const before = getGlobalDispatcher();
  const agent = new Agent();
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    dispatch(options, current ? recording(options, handler, current) : handler);
  setGlobalDispatcher(agent.compose(intercept));
  return {
    async during(run) {
      const exchanges: Exchange[] = [];
      current = exchanges;
      try {
        await run();
        return { exchanges };
      } catch (error) {
        return { exchanges, error };
      } finally {
        current = undefined;
      }
    },
    async quietly(run) {
      const kept = current;
      current = undefined;
      return run().finally(() => (current = kept));
    },
    async stop() {
      setGlobalDispatcher(before);
      await agent.close();
    },
  };
}

function recording(
  { method, origin, path }: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  into: Exchange[],
): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  const exchange: Exchange = { method, url: `${String(origin)}${path}`, status: 0, headers: {}, body: undefined };
  into.push(exchange);
  return new (class extends Decorator {
    override onResponseStart(...[controller, status, headers, text]: StartOf): void {
      Object.assign(exchange, { status, headers });
      super.onResponseStart(controller, status, headers, text);
    }
    override onResponseData(...[controller, chunk]: DataOf): void {
      chunks.push(chunk);
      super.onResponseData(controller, chunk);
    }
    override onResponseEnd(...[controller, trailers]: EndOf): void {
      exchange.body = parsed(Buffer.concat(chunks).toString('utf8'));
      super.onResponseEnd(controller, trailers);
    }
  })(handler);
}

type Handler = Required<Dispatcher.DispatchHandler>;
type StartOf = Parameters<Handler['onResponseStart']>;
type DataOf = Parameters<Handler['onResponseData']>;
type EndOf = Parameters<Handler['onResponseEnd']>;

/** The package does not declare the methods of its class. */
interface Base extends Dispatcher.DispatchHandler {
  onResponseStart(...given: StartOf): void;
  onResponseData(...given: DataOf): void;
  onResponseEnd(...given: EndOf): void;
}
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => Base;

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
