import { spawnSync } from 'node:child_process';

/** Whether a program that only some tests need is installed. Tests that need a missing one are skipped and counted. */
export const hasProgram = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
