import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createResources } from '../../src/lib/resources.ts';

it('a resource that is still being opened is closed once it is open, and the others are closed at once', async () => {
  const closed: string[] = [];
  const errors: unknown[] = [];
  const resources = createResources((error) => errors.push(error));
  let open: (name: string) => void = () => undefined;
  const opening = new Promise<string>((resolve) => (open = resolve));
  const slow = resources.open(opening, (name) => closed.push(name));
  await resources.open(Promise.resolve('quick'), (name) => closed.push(name));
  await resources.closeAll();
  expect(closed).toEqual(['quick']);
  open('slow');
  await slow;
  await setImmediate();
  expect([closed, errors]).toEqual([['quick', 'slow'], []]);
});

it('an error while a resource is closed is reported, also if it was not open yet', async () => {
  const errors: unknown[] = [];
  const resources = createResources((error) => errors.push(error));
  const fail = (name: string): Promise<never> => Promise.reject(new Error(name));
  await resources.open(Promise.resolve('open'), fail);
  void resources.open(setImmediate('opening'), fail);
  await resources.closeAll();
  await setImmediate();
  await setImmediate();
  expect(errors).toEqual([new Error('open'), new Error('opening')]);
});
