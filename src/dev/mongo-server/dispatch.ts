import { catalogCommands, listCommands } from './catalog-commands.ts';
import { rejectUnsupported, type Call, type Handler } from './command.ts';
import type { Batch } from './cursors.ts';
import { CommandError } from './errors.ts';
import { explainCommands } from './explain.ts';
import { greetingCommands, sessionId } from './greeting-commands.ts';
import { readCommands } from './read-commands.ts';
import type { Doc } from './values.ts';
import { retryableCommands } from './write-commands.ts';

/** Command names are case-insensitive. */
const table = (...tables: Record<string, Handler>[]): Map<string, Handler> =>
  new Map(tables.flatMap((each) => Object.entries(each).map(([name, handler]) => [name.toLowerCase(), handler])));

const reading = table(readCommands, explainCommands, listCommands, greetingCommands);
const retryable = table(retryableCommands);
const changing = table(catalogCommands);

/** Runs a command and makes its changes durable before it returns. */
export function dispatch(call: Call): Doc | Batch {
  const { command } = call;
  rejectUnsupported(command);
  const name = Object.keys(command)[0] ?? '';
  const key = name.toLowerCase();
  const read = reading.get(key);
  if (read) return read(call);
  const write = retryable.get(key);
  const handler = write ?? changing.get(key);
  if (!handler) throw new CommandError('CommandNotFound', `Command '${name}' is not supported by the local store`);
  call.engine.assertWritable();
  return write && command.txnNumber !== undefined && command.lsid ? runOnce(call, write) : runWrite(call, handler);
}

/** Changes made before a command failed are kept. */
function runWrite(call: Call, handler: Handler): Doc | Batch {
  try {
    return handler(call);
  } finally {
    call.engine.commit({ isUrgent: Boolean(call.command.writeConcern?.j) });
  }
}

/** Runs a retryable write, or returns the stored reply of a repeated one. */
function runOnce(call: Call, handler: Handler): Doc | Batch {
  const { command, engine } = call;
  const id = sessionId(command.lsid);
  const session = engine.session(id);
  const number = BigInt(String(command.txnNumber));
  if (number === session.number && session.reply) return session.reply;
  if (number < session.number) {
    throw new CommandError('TransactionTooOld', 'Retryable write with an older transaction number');
  }
  Object.assign(session, { number, reply: undefined });
  try {
    session.reply = handler(call);
    return session.reply;
  } finally {
    const reply = session.reply && { session: id, number, reply: session.reply };
    engine.commit({ reply, isUrgent: Boolean(command.writeConcern?.j) });
  }
}
