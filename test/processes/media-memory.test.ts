import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goodAdOf, subjects, fixtureOf, type Subject } from '../conformance/platforms.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';

const megabyte = 1_000_000;
const videos = 4;
const videoBytes = 500 * megabyte;
const mayGrowBy = 150 * megabyte;

let app: TestApp;
let service: ServiceProcess;
let films: Server;

beforeAll(async () => {
  app = await startTestApp();
  service = await startProcess({ ...app.env, ROLE: 'api', PLATFORM_TIMEOUT_SECONDS: '60' });
  films = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'video/mp4', 'Content-Length': videoBytes });
    response.write(Buffer.from('00000014667479706d703432000000006d703432', 'hex'));
    const chunk = Buffer.alloc(megabyte / 2, 1);
    let left = videoBytes - 20;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        const next = chunk.subarray(0, left);
        left -= next.length;
        if (!response.write(next)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  }).listen(0, '127.0.0.1');
  await once(films, 'listening');
});
afterAll(async () => {
  await service.end('SIGTERM');
  films.closeAllConnections();
  films.close();
  await app.stop();
});

/** A line of the kernel's account of a process, in bytes: VmRSS is its memory now, VmHWM the most it ever was. */
function memoryOf({ process: { pid } }: ServiceProcess, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

it.runIf(process.platform === 'linux')(
  'four videos uploaded at once raise the memory of the service by less than 150 MB',
  async () => {
    const subject = subjects.find(({ platform }) => platform === 'F') as Subject;
    const fixture = await fixtureOf(app, subject);
    const url = `http://127.0.0.1:${(films.address() as AddressInfo).port}/film.mp4`;
    const order = (validateOnly: boolean) => ({
      ...goodAdOf(app, subject, fixture, 'video_views'),
      video: { url },
      validateOnly,
    });
    const post = (body: object) => service.call('POST', '/v1/ads/create', { key: fixture.key, body });
    expect((await post({ ...order(true), video: { url: `${app.sandbox.url}/media/video.mp4` } })).status).toBe(200);
    const before = memoryOf(service, 'VmRSS');
    const answers = await Promise.all(Array.from({ length: videos }, () => post(order(false))));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [201, undefined]));
    expect(memoryOf(service, 'VmHWM') - before).toBeLessThan(mayGrowBy);
  },
);
