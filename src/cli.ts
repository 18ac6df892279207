import { commands } from './cli/commands.ts';
import { openServices } from './cli/environment.ts';
import { runCli, type Cli } from './cli/run.ts';

const cli: Cli = {
  call: 'node dist/cli.js',
  about: 'It uses the database in MONGODB_URI with ENCRYPTION_KEYS.',
  commands,
  open: (options) => openServices(process.env, options),
};

process.exitCode = await runCli(cli, process.argv.slice(2));
