import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Command } from '../cli/command.ts';
import { commands } from '../cli/commands.ts';
import { openServices } from '../cli/environment.ts';
import { runCli, type Cli } from '../cli/run.ts';
import { forOwner } from '../cli/owner.ts';
import type { LocalServices, OpenOptions } from '../cli/services.ts';
import { givenKeys } from '../config/config.ts';
import { ObjectId } from '../contract/common.ts';
import { parseInput } from '../contract/parse.ts';
import { AccountPlatform } from '../contract/platforms.ts';
import { connectSandbox } from './connect-sandbox.ts';
import { readDemo } from './demo-data.ts';
import { storeUri } from './mongo-server/address.ts';

const environment = process.env;
const dataDir = resolve(environment['DATA_DIR'] || '.data');

const SandboxFlags = z.strictObject({
  profileId: ObjectId,
  platform: AccountPlatform,
  accountId: ObjectId.optional(),
});

const connect: Command = {
  usage: '--user ID --profile ID --platform network-a [--account ID]',
  about: 'an account of the sandbox, connected without the clicks; --account gives a broken one a new connection',
  takes: ['userId', 'profileId', 'platform', 'accountId'],
  run: async (services, flags) => {
    const { ctx, input } = await forOwner(services, flags);
    const order = parseInput(SandboxFlags, input);
    const { profileId, platform } = order;
    const { account, adAccounts } = await connectSandbox(ctx, { sandboxUrl: sandboxUrl(), ...order });
    return {
      id: account._id,
      accountId: account._id,
      adAccountId: adAccounts[0]?.id,
      adAccounts: adAccounts.map(({ id, currency }) => ({ id, currency })),
      profileId,
      platform,
    };
  },
};

function sandboxUrl(): string {
  const url = environment['SANDBOX_URL'] || readDemo(dataDir)?.sandboxUrl;
  if (!url) throw new Error('The sandbox URL is unknown: set SANDBOX_URL.');
  return url;
}

/** Opens the database and the keys of the environment or, if they are not set, those of the data folder. */
async function open(options: OpenOptions): Promise<LocalServices> {
  const given = environment['MONGODB_URI'];
  const mongoUri = given || storeUri(join(dataDir, 'store'), 'social');
  if (!given && !(await isListening(mongoUri))) {
    throw new Error(
      `No service is running on the data folder ${dataDir}: run npm start, or set DATA_DIR or MONGODB_URI.`,
    );
  }
  const keys = givenKeys(environment) ? {} : { ENCRYPTION_KEYS: storedKeys() };
  return openServices({ ...environment, MONGODB_URI: mongoUri, ...keys }, options);
}

function storedKeys(): string {
  try {
    return readFileSync(join(dataDir, 'encryption-keys'), 'utf8').trim();
  } catch {
    throw new Error(`ENCRYPTION_KEYS is not set, and ${dataDir} contains no keys: set it to the keys of the service.`);
  }
}

/** Asks the socket itself, because a driver would wait for a server that does not come. */
function isListening(uri: string): Promise<boolean> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(uri)?.[1] ?? '');
  return new Promise((done) => {
    const socket = createConnection({ path });
    socket
      .once('error', () => done(false))
      .once('connect', () => {
        socket.destroy();
        done(true);
      });
  });
}

const cli: Cli = {
  call: 'npm run cli --',
  about:
    'It uses the store of the service that runs with DATA_DIR (default .data), or MONGODB_URI with ENCRYPTION_KEYS.',
  commands: { ...commands, 'accounts connect-sandbox': connect },
  open,
};

process.exitCode = await runCli(cli, process.argv.slice(2));
