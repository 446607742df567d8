import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive, killExactly, thisProcess } from './process-id.ts';

it('knows a living process, and not another one with its pid', () => {
  const id = thisProcess();
  expect(isAlive(id)).toBe(true);
  expect(isAlive({ ...id, started: '1' })).toBe(false);
});

it('does not kill a process that has taken over the pid', async () => {
  const child = spawn('sleep', ['60']);
  const exit = once(child, 'exit');
  killExactly({ pid: child.pid ?? 0, started: '1' });
  expect(child.kill('SIGTERM')).toBe(true);
  expect(await exit).toEqual([null, 'SIGTERM']);
});
