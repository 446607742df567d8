import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leftOvers, look, markedProcesses } from '../../scripts/lib/left-overs.mjs';

let dir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'left-overs-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(dir, { recursive: true });
});

const none = (): string[] => [];
const lookAround = () => look([dir], false);

it('finds nothing if nothing was left', async () => {
  await writeFile(join(dir, 'before'), '');
  expect(await leftOvers(await lookAround(), lookAround, none)).toEqual([]);
});

it('finds a new file, but not a cache that a tool keeps', async () => {
  const before = await lookAround();
  await writeFile(join(dir, 'forgotten'), '');
  await writeFile(join(dir, 'tsx-0'), '');
  expect(await leftOvers(before, lookAround, none)).toEqual([`file ${dir}/forgotten`]);
});

it('finds a process by the mark in its environment', async () => {
  const mark = `DROVER_LEFT_OVERS_TEST=${dir}`;
  child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], DROVER_LEFT_OVERS_TEST: dir } });
  await expect.poll(() => markedProcesses(mark)).toEqual([`${child.pid}: sleep 60`]);
  expect(markedProcesses(`${mark}-other`)).toEqual([]);
});
