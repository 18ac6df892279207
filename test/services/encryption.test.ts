import { createCipheriv, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/lib/id.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createEncrypter, type Purpose, type Encrypted, type Encrypter } from '../../src/lib/encryption.ts';
import { encryptionKeyMissing } from '../../src/telemetry/events.ts';
import { disconnectAccount } from '../../src/services/accounts/disconnect-account.ts';
import { saveAccount } from '../../src/services/accounts/save-account.ts';
import { accessFor } from '../../src/services/accounts/platform-access.ts';
import { refreshExpiringTokens } from '../../src/services/accounts/refresh-expiring-tokens.ts';
import type { Ctx } from '../../src/services/context.ts';
import { accountFields, webhookHeaders, webhookSecret } from '../../src/services/encryption/bindings.ts';
import { deferring } from '../../src/services/encryption/deferring-encrypter.ts';
import { requireKeys } from '../../src/services/encryption/key-registry.ts';
import { holdRegistration } from '../../src/services/process-registry.ts';
import { reencryptAll } from '../../src/services/encryption/re-encrypt-all.ts';
import { createDeliverer } from '../../src/services/webhooks/deliver.ts';
import { rotateWebhookSecret } from '../../src/services/webhooks/rotate-secret.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { makeCtx, makeServices, type TestServices } from '../support/services.ts';

const log = createLog('silent');
const entry = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const entries = { k1: entry('k1'), k2: entry('k2') };
const encrypterWith = (...ids: ('k1' | 'k2')[]): Encrypter => createEncrypter(ids.map((id) => entries[id]));
const onlyNewKey = (): Encrypter => deferring(encrypterWith('k2'), log);

let services: TestServices;
let ctx: Ctx;
const toolsWith = (...ids: ('k1' | 'k2')[]) => ({ ...services, encrypter: encrypterWith(...ids) });

beforeAll(async () => {
  services = await makeServices();
});
afterAll(() => services.stop());
beforeEach(async () => {
  const { accounts, webhooks, encryptionKeys, processes, connectGrants, pageSessions } = services.db;
  await Promise.all(
    [accounts, webhooks, encryptionKeys, processes, connectGrants, pageSessions].map((one) =>
      (one as typeof accounts).deleteMany({}),
    ),
  );
  ctx = { ...(await makeCtx(services)), encrypter: encrypterWith('k1') };
});

/** As versions before values were bound to anything wrote them. */
function former(plain: string): Encrypted {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(entries.k1.slice(3), 'base64'), iv);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return ['k1', ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.') as Encrypted;
}

const connect = (encrypter: Encrypter = encrypterWith('k1')) =>
  saveAccount(
    { ...services, encrypter },
    {
      userId: ctx.caller.userId,
      profileId: newId(),
      platform: 'pin-board',
      platformAccountId: newId(),
      username: 'a',
      displayName: 'A',
      token: 'token',
      refreshToken: 'refresh',
    },
  );

async function addWebhook(url = 'https://a.example/', fields: object = {}): Promise<string> {
  const _id = newId();
  const encrypter = encrypterWith('k1');
  await services.db.webhooks.create({
    _id,
    userId: ctx.caller.userId,
    slot: 1,
    name: 'w',
    url,
    events: ['*'],
    encryptedSecret: encrypter.encrypt('new-secret', webhookSecret(_id)),
    secretId: newId(),
    previousSecrets: [
      { id: 'old', encrypted: encrypter.encrypt('old-secret', webhookSecret(_id)), until: new Date('2099-01-01') },
    ],
    encryptedHeaders: encrypter.encrypt('{"X-A":"b"}', webhookHeaders(_id)),
    headerNames: ['X-A'],
    ...fields,
  });
  return _id;
}

describe('re-encrypting everything', () => {
  it('leaves no value with the old key or format: accounts, secrets, old secrets, headers', async () => {
    const [one, webhookId] = [await connect(), await addWebhook()];
    await services.db.accounts.updateOne({ _id: one._id }, { $set: { encryptedAdsToken: former('ads') } });
    await services.db.webhooks.updateOne({ _id: webhookId }, { $set: { encryptedHeaders: former('{"X-A":"b"}') } });
    const report = await reencryptAll(toolsWith('k2', 'k1'));
    expect(report).toMatchObject({ encryptsWith: 'k2', documents: 2, reEncrypted: 6, unreadable: 0, remaining: [] });
    expect(await reencryptAll(toolsWith('k2', 'k1'))).toMatchObject({ reEncrypted: 0, remaining: [] });
    const [account, webhook] = [
      await services.db.accounts.findOne({ _id: one._id }).lean().orFail(),
      await services.db.webhooks.findOne({ _id: webhookId }).lean().orFail(),
    ];
    const stored = JSON.stringify([account, webhook]);
    expect(stored).not.toMatch(/"(v2\.)?k1\./);
    const onlyNew = encrypterWith('k2');
    expect(onlyNew.decrypt(account.encryptedAdsToken!, accountFields.encryptedAdsToken(one._id))).toBe('ads');
    expect(onlyNew.decrypt(webhook.encryptedSecret!, webhookSecret(webhookId))).toBe('new-secret');
    expect(onlyNew.decrypt(webhook.previousSecrets![0]!.encrypted, webhookSecret(webhookId))).toBe('old-secret');
    expect(onlyNew.decrypt(webhook.encryptedHeaders!, webhookHeaders(webhookId))).toBe('{"X-A":"b"}');
  });

  it('re-encrypts values of the former format with the same key', async () => {
    const account = await connect();
    await services.db.accounts.updateOne({ _id: account._id }, { $set: { encryptedToken: former('token') } });
    expect(await reencryptAll(toolsWith('k1'))).toMatchObject({ reEncrypted: 1, remaining: [] });
  });

  it('reports unreadable values and their documents, and keeps their key required', async () => {
    await requireKeys(toolsWith('k1'));
    const account = await connect();
    const report = await reencryptAll(toolsWith('k2'));
    expect(report).toMatchObject({
      unreadable: 2,
      unreadableIn: [`accounts/${account._id}`],
      remaining: [{ keyId: 'k1', values: 2 }],
      removable: [],
    });
    await expect(requireKeys(toolsWith('k2'))).rejects.toThrow('"k1", which is not in ENCRYPTION_KEYS');
  });

  it('re-encrypts pending connect flows, so that the old key can be removed at once', async () => {
    const expiresAt = new Date(services.clock.now().getTime() + 60_000);
    const old = (purpose: Purpose) => encrypterWith('k1').encrypt(purpose, { purpose, documentId: 'one' });
    const owner = { _id: 'one', userId: 'u', keyId: 'k', profileId: 'p', platform: 'network-a' as const, expiresAt };
    await services.db.connectGrants.create({
      ...owner,
      handleHash: 'h',
      tokenHash: 't',
      encryptedToken: old('connect_grant.token'),
      encryptedRefreshToken: old('connect_grant.refresh_token'),
    });
    await services.db.connectStates.create({
      ...owner,
      stateHash: 's',
      encryptedSecret: old('connect_state.secret'),
      encryptedOutcome: old('connect_state.outcome'),
    });
    await requireKeys(toolsWith('k1'));
    const report = await reencryptAll(toolsWith('k2', 'k1'));
    expect(report).toMatchObject({ reEncrypted: 4, remaining: [], removable: ['k1'] });
    const onlyNew = encrypterWith('k2');
    const grant = await services.db.connectGrants.findById('one').lean().orFail();
    const state = await services.db.connectStates.findById('one').lean().orFail();
    const opened = [
      [grant.encryptedToken, 'connect_grant.token'],
      [grant.encryptedRefreshToken, 'connect_grant.refresh_token'],
      [state.encryptedSecret, 'connect_state.secret'],
      [state.encryptedOutcome, 'connect_state.outcome'],
    ] as [Encrypted, Purpose][];
    for (const [secret, purpose] of opened)
      expect(onlyNew.decrypt(secret, { purpose, documentId: 'one' })).toBe(purpose);
  });

  it('counts sessions with the old key, which do not keep it, and when the last expires', async () => {
    const expiresAt = new Date(services.clock.now().getTime() + 60_000);
    await services.db.pageSessions.create({ _id: 's', apiKeyId: 'a', encryptionKeyId: 'k1', expiresAt });
    await requireKeys(toolsWith('k1'));
    expect(await reencryptAll(toolsWith('k2', 'k1'))).toMatchObject({
      shortLived: [{ what: 'pageSessions', keyId: 'k1', values: 1, until: expiresAt.toISOString() }],
      removable: ['k1'],
    });
  });

  it('keeps a key that a running process still encrypts with', async () => {
    await requireKeys(toolsWith('k1'));
    const release = await holdRegistration(toolsWith('k1', 'k2'));
    expect(await reencryptAll(toolsWith('k2', 'k1'))).toMatchObject({ removable: [], stillUsed: ['k1'] });
    await release();
    expect(await reencryptAll(toolsWith('k2', 'k1'))).toMatchObject({ removable: ['k1'], stillUsed: [] });
    await requireKeys(toolsWith('k2'));
  });

  it('does not overwrite concurrent changes', async () => {
    const account = await connect();
    const tools = toolsWith('k2', 'k1');
    let isFirst = true;
    const racing: Encrypter = {
      ...tools.encrypter,
      decrypt(secret, binding) {
        const plain = tools.encrypter.decrypt(secret, binding);
        if (!isFirst) return plain;
        isFirst = false;
        return plain;
      },
    };
    const changed = encrypterWith('k1').encrypt('rotated', accountFields.encryptedToken(account._id));
    const renewal = services.db.accounts.updateOne({ _id: account._id }, { $set: { encryptedToken: changed } });
    await Promise.all([reencryptAll({ ...tools, encrypter: racing }), renewal]);
    await reencryptAll(tools);
    const after = await services.db.accounts.findOne({ _id: account._id }).lean().orFail();
    expect(encrypterWith('k2').decrypt(after.encryptedToken!, accountFields.encryptedToken(account._id))).toBe(
      'rotated',
    );
  });
});

describe('keys at start', () => {
  it('must not include a different key under the same id', async () => {
    await requireKeys(toolsWith('k1'));
    const other = createEncrypter([entry('k1')]);
    await expect(requireKeys({ ...services, encrypter: other })).rejects.toThrow(
      'is not the key that stored data with this key id is encrypted with',
    );
    await requireKeys(toolsWith('k1', 'k2'));
  });

  it('are checked against data of earlier versions', async () => {
    const account = await connect();
    await services.db.accounts.updateOne({ _id: account._id }, { $set: { encryptedToken: former('token') } });
    await expect(requireKeys(toolsWith('k2'))).rejects.toThrow('"k1", which is not in ENCRYPTION_KEYS');
    const other = createEncrypter([entry('k1')]);
    await expect(requireKeys({ ...services, encrypter: other })).rejects.toThrow('does not decrypt stored data');
    await requireKeys(toolsWith('k2', 'k1'));
    await expect(requireKeys(toolsWith('k2'))).rejects.toThrow('"k1", which is not in ENCRYPTION_KEYS');
  });
});

describe('a token that was moved', () => {
  it('to another account or field does not decrypt', async () => {
    const [one, other] = [await connect(), await connect()];
    const tools = toolsWith('k1');
    await expect(accessFor(tools, { ...other, encryptedToken: one.encryptedToken })).rejects.toThrow();
    await expect(accessFor(tools, { ...other, encryptedToken: other.encryptedRefreshToken })).rejects.toThrow();
    expect(await accessFor(tools, other)).toMatchObject({ token: 'token' });
  });
});

describe('work whose key is missing', () => {
  it('is deferred with 503, counted, and changes nothing: use, refresh, disconnection, a new secret', async () => {
    let counted = 0;
    const end = encryptionKeyMissing.on(() => void (counted += 1));
    const [account, webhookId] = [await connect(), await addWebhook()];
    await services.db.accounts.updateOne({ _id: account._id }, { $set: { refreshAt: services.clock.now() } });
    const before = [
      await services.db.accounts.findOne({ _id: account._id }).lean(),
      await services.db.webhooks.findOne().lean(),
    ];
    const lacking = { ...ctx, encrypter: onlyNewKey() };
    const deferred = { code: 'temporarily_unavailable', status: 503, extras: { retryAfterSeconds: 30 } };
    await expect(accessFor(lacking, account)).rejects.toMatchObject(deferred);
    await expect(disconnectAccount(lacking, { accountId: account._id })).rejects.toMatchObject(deferred);
    await expect(rotateWebhookSecret(lacking, { webhookId, graceSeconds: 60 }, newId())).rejects.toMatchObject(
      deferred,
    );
    let asked = 0;
    const refresh = async () => ({ token: String((asked += 1)) });
    await refreshExpiringTokens({ ...lacking, refreshers: { 'pin-board': refresh } }, 10);
    expect(asked).toBe(0);
    const after = [
      await services.db.accounts.findOne({ _id: account._id }).lean(),
      await services.db.webhooks.findOne().lean(),
    ];
    expect(after).toEqual([{ ...before[0], refreshAt: new Date(services.clock.now().getTime() + 300_000) }, before[1]]);
    expect(counted).toBeGreaterThanOrEqual(4);
    end();
  });

  it('defers a delivery without an attempt or failure, and sends it once the key is there', async () => {
    const receiver = await startReceiver();
    const webhookId = await addWebhook(receiver.url);
    const [_id, eventId] = [newId(), `evt_${newId()}`];
    const now = services.clock.now();
    const common = { userId: ctx.caller.userId, type: 'api_key.created', occurredAt: now };
    await services.db.webhookEvents.create({ ...common, _id: eventId, body: '{}', fannedOut: true });
    await services.db.webhookDeliveries.create({
      ...common,
      _id,
      eventId,
      webhookId,
      replay: 0,
      trigger: 'auto',
      state: 'pending',
      nextAttemptAt: now,
      createdAt: now,
      attemptCount: 0,
      retryCount: 0,
      terminalAt: null,
      attempts: [],
    });
    const deliver = createDeliverer({ ...services, encrypter: onlyNewKey() });
    for (let tries = 0; tries < 200; tries += 1) {
      const { retryAt } = await deliver(webhookId);
      services.pass((retryAt!.getTime() - services.clock.now().getTime()) / 1000);
    }
    const waiting = await services.db.webhookDeliveries.findOne({ _id }).lean().orFail();
    expect(waiting).toMatchObject({ state: 'pending', attemptCount: 0, attempts: [], failure: { count: 200 } });
    expect(await services.db.webhooks.findOne({ _id: webhookId }).lean()).toMatchObject({
      consecutiveFailures: 0,
      isActive: true,
    });
    await createDeliverer(toolsWith('k2', 'k1'))(webhookId);
    expect(await services.db.webhookDeliveries.findOne({ _id }).lean()).toMatchObject({ state: 'delivered' });
    expect(receiver.got[0]!.headers).toMatchObject({ 'x-a': 'b' });
    await receiver.stop();
  });
});
