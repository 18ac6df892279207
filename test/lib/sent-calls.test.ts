import { describe, expect, it } from 'vitest';
import { recordCall, recordingCalls, takeCalls } from '../../src/lib/sent-calls.ts';

const now = () => new Date(1000);
const call = (path: string) => ({ method: 'POST', path, durationMs: 10, status: 200, traceId: null });
const paths = (): string[] => takeCalls().map(({ path }) => path);
const later = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a recording of the calls of a request', () => {
  it('contains the calls of its own work, with the time at which each was sent', async () => {
    await recordingCalls(now, async () => {
      await later();
      recordCall(call('/a'));
      expect(takeCalls()).toEqual([
        { method: 'POST', path: '/a', durationMs: 10, status: 200, traceId: null, sentAt: new Date(990) },
      ]);
      expect(takeCalls()).toEqual([]);
    });
  });

  it('goes on when others that began later have ended', async () => {
    const short = (path: string) =>
      recordingCalls(now, async () => {
        recordCall(call(path));
        return paths();
      });
    const long = recordingCalls(now, async () => {
      recordCall(call('/long'));
      expect(await short('/inner')).toEqual(['/inner']);
      await later();
      recordCall(call('/end'));
      return paths();
    });
    expect(await short('/other')).toEqual(['/other']);
    expect(await long).toEqual(['/long', '/end']);
  });

  it('works again after all have ended, also with an error', async () => {
    await expect(recordingCalls(now, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    recordCall(call('/unrecorded'));
    expect(paths()).toEqual([]);
    expect(
      await recordingCalls(now, async () => {
        await later();
        recordCall(call('/again'));
        return paths();
      }),
    ).toEqual(['/again']);
  });
});
