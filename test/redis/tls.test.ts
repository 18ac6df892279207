import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/db.ts';
import { hasProgram } from '../support/debian.ts';
import { guarded } from '../support/guarded.ts';
import { startProcess } from '../support/process.ts';
import { freePort } from '../support/free-port.ts';

/** A certificate authority for this test, and a certificate for localhost that it signed. */
async function certificates(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
  const openssl = (line: string): void => void execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' });
  const newKey = '-newkey rsa:2048 -nodes';
  for (const name of ['ca', 'other-ca'])
    openssl(`req -x509 ${newKey} -days 1 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`);
  openssl(`req ${newKey} -subj /CN=localhost -keyout redis.key -out redis.csr`);
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  openssl('x509 -req -days 1 -in redis.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names -out redis.crt');
  return folder;
}

it.skipIf(!hasProgram('openssl'))(
  'connects over TLS with a CA of NODE_EXTRA_CA_CERTS and a password with reserved characters, and not with another CA',
  async () => {
    const [database, port, folder] = await Promise.all([testDatabase(), freePort(), certificates()]);
    const file = (name: string): string => join(folder, name);
    const flags = [
      ['--port', '0'],
      ['--tls-port', String(port)],
      ['--tls-cert-file', file('redis.crt')],
      ['--tls-key-file', file('redis.key')],
      ['--tls-ca-cert-file', file('ca.crt')],
      ['--tls-auth-clients', 'no'],
      ['--requirepass', 'a:@b/c'],
      ['--appendonly', 'yes'],
      ['--dir', folder],
    ];
    const server = guarded(spawn('redis-server', flags.flat(), { stdio: 'ignore' }));
    const env = {
      MONGODB_URI: database.uri,
      REDIS_URL: `rediss://:${encodeURIComponent('a:@b/c')}@localhost:${port}`,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    };
    const trusting = await startProcess({ ...env, NODE_EXTRA_CA_CERTS: file('ca.crt') });
    await expect
      .poll(async () => (await trusting.call('GET', '/readyz')).body.checks)
      .toEqual({ mongo: true, redis: true, webhooks: true });
    const wary = await startProcess({ ...env, NODE_EXTRA_CA_CERTS: file('other-ca.crt') }, '/healthz');
    await expect
      .poll(async () => (await wary.call('GET', '/readyz')).body.checks)
      .toMatchObject({ mongo: true, redis: false });
    expect(wary.log()).toMatch(/self-signed certificate in certificate chain".*Redis \(REDIS_URL\) is unreachable/);
    expect(trusting.log() + wary.log()).not.toContain('a:@b');
    await Promise.all([trusting.end('SIGTERM'), wary.end('SIGTERM')]);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    await Promise.all([database.stop(), rm(folder, { recursive: true, force: true })]);
  },
);
