import { parseArgs } from 'node:util';
import { AdPlatform } from '../../contract/platforms.ts';
import { PlatformError } from '../../platforms/error.ts';
import type { Check, Side } from './check.ts';
import { checks } from './checks.ts';
import { blockOf, createRedaction, describe, hideIds, reportOf, totalOf } from './report.ts';
import { runChecks } from './run.ts';
import { liveSide, sandboxSide, startSandbox, UsageError, type Credentials, type Environment } from './side.ts';

export interface Terminal {
  environment: Environment;
  write: (text: string) => void;
  /** For what is not part of the report. */
  warn: (text: string) => void;
  signal: AbortSignal;
}

const usage = `npm run upstream -- verify --platform A [--yes] [--list] [--json] [--only ID ...] [--token-env NAME] [--account ID]

Compares a live platform with the sandbox, with your own credentials. It only reads and validates unless --yes permits
paused objects, which it removes again. docs/verify-platforms.md names the settings.
`;

const options = {
  platform: { type: 'string' },
  yes: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  'token-env': { type: 'string', default: 'UPSTREAM_TOKEN' },
  account: { type: 'string' },
} as const;

/** Returns the exit code: 0 if everything is the same, 1 if not, 2 for a mistake in the call. */
export async function verify(argv: string[], terminal: Terminal): Promise<number> {
  try {
    const { command, values, platform } = parsed(argv);
    if (command !== 'verify' || platform === undefined) throw new UsageError(usage);
    const chosen = chosenFrom(checks[platform], values.only);
    if (values.list) {
      for (const check of chosen) terminal.write(describe(check));
      return 0;
    }
    const credentials = { platform, tokenEnv: values['token-env'], accountId: values.account };
    return await compareWith(credentials, chosen, { terminal, mayWrite: values.yes, asJson: values.json });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.warn(`${error.message}\n`);
    return 2;
  }
}

function parsed(argv: string[]) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    const platform = AdPlatform.safeParse(values.platform?.toUpperCase()).data;
    return { command: positionals.join(' '), values, platform };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

function chosenFrom(all: Check[], only: string[] | undefined): Check[] {
  const unknown = only?.find((id) => !all.some((check) => check.id === id));
  if (unknown) throw new UsageError(`There is no check ${unknown}; there are ${all.map(({ id }) => id).join(', ')}.`);
  return only ? all.filter(({ id }) => only.includes(id)) : all;
}

interface How {
  terminal: Terminal;
  mayWrite: boolean;
  asJson: boolean;
}

async function compareWith(credentials: Credentials, chosen: Check[], how: How): Promise<number> {
  const { terminal, mayWrite, asJson } = how;
  const { environment, signal } = terminal;
  const hide = createRedaction(secretsIn(environment, credentials), []);
  const fail = (error: unknown): never => {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(hide(error instanceof PlatformError ? `The ad accounts cannot be read: ${message}` : message));
  };
  const live = await liveSide(environment, credentials).catch(fail);
  const clean = createRedaction(
    [...secretsIn(environment, credentials), ...secretsOf(live)],
    asJson ? [live.adAccount.id] : [],
  );
  const sandbox = await startSandbox();
  try {
    const { outcomes, left } = await runChecks({
      checks: chosen,
      live,
      sandbox: await sandboxSide(sandbox.url, live),
      mayWrite,
      signal,
      onOutcome: (outcome) => asJson || terminal.write(clean(blockOf(outcome))),
    });
    if (asJson) terminal.write(`${hideIds(clean(JSON.stringify(reportOf(live, outcomes), null, 2)))}\n`);
    else terminal.write(totalOf(outcomes));
    if (left.length > 0) terminal.warn(clean(`Could not be removed:\n${left.map((line) => `  ${line}\n`).join('')}`));
    if (signal.aborted) terminal.warn('Stopped before the last check.\n');
    const isBad = outcomes.some(({ result }) => result === 'differs' || result === 'failed');
    return isBad || left.length > 0 || signal.aborted ? 1 : 0;
  } finally {
    await sandbox.stop();
  }
}

const secretsIn = (environment: Environment, { tokenEnv }: Credentials): (string | undefined)[] => [
  environment[tokenEnv],
  ...Object.entries(environment).flatMap(([name, value]) =>
    /(_SECRET|_TOKEN|UPSTREAM_TOKEN_SECRET|ENCRYPTION_KEYS)$/.test(name) ? [value] : [],
  ),
];

const secretsOf = ({ access }: Side): (string | undefined)[] => [access.token, access.tokenSecret];
