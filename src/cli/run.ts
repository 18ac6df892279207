import { parseArgs } from 'node:util';
import { AppError } from '../contract/error.ts';
import type { Command, Flags, Printed } from './command.ts';
import type { LocalServices, OpenOptions } from './services.ts';

/** A command line: the one of the image, or the one that `npm run cli` runs, which has more commands. */
export interface Cli {
  /** What a person types before the name of a command. */
  call: string;
  /** A sentence of the help: whose store the commands use. */
  about: string;
  commands: Readonly<Record<string, Command>>;
  open: (options: OpenOptions) => Promise<LocalServices>;
}

const options = {
  email: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  addon: { type: 'string', multiple: true },
  user: { type: 'string' },
  profile: { type: 'string', multiple: true },
  description: { type: 'string' },
  color: { type: 'string' },
  scope: { type: 'string' },
  permission: { type: 'string' },
  'expires-in-days': { type: 'string' },
  platform: { type: 'string' },
  account: { type: 'string' },
  forget: { type: 'string' },
  output: { type: 'string' },
  confirm: { type: 'string' },
  key: { type: 'string' },
  ad: { type: 'string' },
  object: { type: 'string' },
  action: { type: 'string' },
  webhook: { type: 'string' },
  delivery: { type: 'string' },
  status: { type: 'string' },
  event: { type: 'string' },
  minutes: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  'ad-account': { type: 'string' },
  stop: { type: 'string' },
  external: { type: 'boolean' },
  currency: { type: 'string' },
  'max-daily': { type: 'string' },
  'max-lifetime': { type: 'string' },
  'max-active': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Contract names of the flags that are named differently here. */
const contractNames: Record<string, string> = {
  addon: 'addons',
  user: 'userId',
  account: 'accountId',
  profile: 'profileIds',
  key: 'keyId',
  ad: 'adId',
  object: 'objectId',
  webhook: 'webhookId',
  delivery: 'deliveryId',
  'ad-account': 'adAccountId',
  stop: 'stopId',
  external: 'includeExternal',
  'max-daily': 'maxDailyBudget',
  'max-lifetime': 'maxLifetimeBudget',
  'max-active': 'maxActiveBudget',
  'expires-in-days': 'expiresIn',
};

/** Help for one command, or for all of them. */
const help = ({ call, about, commands }: Cli, named: string): string =>
  [
    `${call} COMMAND [FLAGS] [--json]`,
    '',
    ...Object.entries(commands)
      .filter(([name]) => name === named || !Object.hasOwn(commands, named))
      .flatMap(([name, command]) => [`  ${name} ${command.usage}`.trimEnd(), `      ${command.about}`]),
    '',
    about,
    '',
  ].join('\n');

/** Runs one command; the answer goes to standard output, whatever is wrong to standard error. */
export async function runCli(cli: Cli, argv: string[]): Promise<number> {
  try {
    const { commands } = cli;
    const { values, positionals } = parsed(argv);
    if (values.help || positionals.length === 0) {
      process.stdout.write(help(cli, positionals.join(' ')));
      return values.help ? 0 : 1;
    }
    const name = positionals.join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new Error(`Unknown command ${name}; known are ${Object.keys(commands).join(', ')}.`);
    const { json = false, help: _help, ...given } = values;
    const printed = await runCommand(cli, command, flagsOf(command, given));
    process.stdout.write(json ? `${JSON.stringify(printed)}\n` : plain(printed));
    return 0;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [flag = ''] = /--?[\w-]+/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new Error(`Unknown flag ${flag}; --help lists all.`);
    throw new Error(`${flag} ${flag === '--json' || flag === '--help' ? 'takes no' : 'needs a'} value.`);
  }
}

async function runCommand(cli: Cli, command: Command, flags: Flags): Promise<Printed> {
  const services = await cli.open({ allowMissing: command.allowsMissingKeys, migrate: command.migrates });
  try {
    return await command.run(services, flags);
  } finally {
    await services.close();
  }
}

/** The flags under their contract names; rejects a flag that the command does not accept. */
function flagsOf({ takes, usage }: Command, given: Record<string, string | string[] | boolean | undefined>): Flags {
  const flags: Flags = {};
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const [name, one] = nameIn(takes, flag, value);
    if (!takes.includes(name)) throw new Error(`--${flag} is not a flag of this command; it takes ${usage}`);
    flags[name] = name === 'expiresIn' && /^\d+$/.test(String(one)) ? Number(one) : one;
  }
  return flags;
}

type Given = string | string[] | boolean;

function nameIn(takes: string[], flag: string, value: Given): [string, Given] {
  if (typeof value === 'boolean' || flag !== 'profile' || takes.includes('profileIds'))
    return [contractNames[flag] ?? flag, value];
  if (value.length > 1) throw new Error('--profile may be given once here.');
  return ['profileId', value[0] ?? ''];
}

const flagNames = {
  ...Object.fromEntries(Object.entries(contractNames).map(([flag, name]) => [name, flag])),
  profileId: 'profile',
};

/** Contract errors, each under the flag it concerns. */
function messageOf(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error);
  const fields = Object.entries((error.extras.details?.['fields'] ?? {}) as Record<string, string[]>);
  if (fields.length === 0) return error.message;
  const flag = (path: string): string => {
    const [name = '', ...rest] = path.split('.');
    return [`--${(flagNames as Record<string, string>)[name] ?? name}`, ...rest].join('.');
  };
  return fields.flatMap(([path, problems]) => problems.map((problem) => `${flag(path)}: ${problem}`)).join('\n');
}

const plain = (printed: Printed): string =>
  Object.entries(printed)
    .map(([name, value]) => `${name}: ${shown(value)}\n`)
    .join('');

/** Records of a list have a line each. */
function shown(value: unknown): string {
  const isList = Array.isArray(value) && value.some((one) => typeof one === 'object');
  if (isList) return value.map((one) => `\n  ${JSON.stringify(one)}`).join('');
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
}
