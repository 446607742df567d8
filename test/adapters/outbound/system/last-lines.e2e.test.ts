import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./logging-process.ts', import.meta.url));

const start = (how: string) =>
  spawn(process.execPath, ['--import', 'tsx', SCRIPT, how], { stdio: ['ignore', 'ignore', 'pipe'] });

const indexesIn = (log: string): number[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{"level":"info"'))
    .map((line) => JSON.parse(line).index);
const ALL = Array.from({ length: 100 }, (_, index) => index);

describe('the last lines of the log', () => {
  it.each<[string, number | null, string | null]>([
    ['end', 0, null],
    ['exit', 3, null],
    ['throw', 1, null],
    ['reject', 1, null],
    ['SIGTERM', null, 'SIGTERM'],
    ['SIGINT', null, 'SIGINT'],
    ['SIGHUP', null, 'SIGHUP'],
    ['heard SIGTERM', 7, null],
    ['warn and SIGKILL', null, 'SIGKILL'],
    ['error and SIGKILL', null, 'SIGKILL'],
  ])('are there, and the process ends as without a log: %s', async (how, code, signal) => {
    const child = start(how);
    const [log, ended] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(indexesIn(log)).toEqual(ALL);
    expect(ended).toEqual([code, signal]);
    const last = log
      .trimEnd()
      .split('\n')
      .findLast((line) => line.startsWith('{'));
    if (how.startsWith('warn')) expect(last).toContain('"of":"a child"');
    // The log comes before Node's own message about the end.
    if (log.includes('nobody caught this')) {
      expect(log.indexOf('nobody caught this')).toBeGreaterThan(log.lastIndexOf('"index":99'));
    }
  });

  it('are written automatically while the process goes on', async () => {
    const child = start('stay');
    let log = '';
    for await (const chunk of child.stderr) {
      log += String(chunk);
      if (indexesIn(log.slice(0, log.lastIndexOf('\n'))).length === ALL.length) break;
    }
    child.kill('SIGKILL');
    expect(indexesIn(log)).toEqual(ALL);
  });
});
