import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LineBuffer } from '../../../../src/adapters/outbound/system/line-buffer.ts';

let directory: string;
const open: number[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drover-lines-'));
});
afterEach(() => {
  for (const fd of open.splice(0)) closeSync(fd);
  rmSync(directory, { recursive: true, force: true });
});

function opened(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  open.push(fd);
  return fd;
}

/** A pipe that accepts about 64 KiB, and then reports so instead of waiting. */
function pipe(): number {
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  return opened(path, constants.O_RDWR | constants.O_NONBLOCK);
}

function drain(fd: number): Buffer {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  try {
    for (let size = readSync(fd, chunk); size > 0; size = readSync(fd, chunk)) {
      chunks.push(Buffer.from(chunk.subarray(0, size)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return Buffer.concat(chunks);
}

/** Everything, as a slow reader gets it. */
function emptied(lines: LineBuffer, fd: number): string {
  const parts = [drain(fd)];
  do {
    lines.flush();
    parts.push(drain(fd));
  } while (parts.at(-1)?.length !== 0);
  return Buffer.concat(parts).toString('utf8');
}

describe('a line buffer', () => {
  it('writes many lines at once, in order, and soon when there are many', () => {
    const path = join(directory, 'log');
    const lines = new LineBuffer(opened(path, 'w'));
    lines.write('one\n');
    lines.write('two ü\n');
    expect(readFileSync(path, 'utf8')).toBe('');
    lines.flush();
    lines.flush();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo ü\n');
    for (let index = 0; index < 1_000; index += 1) lines.write(`${'x'.repeat(50)}\n`);
    expect(readFileSync(path, 'utf8').length).toBeGreaterThan(30_000);
    lines.flush();
    expect(readFileSync(path, 'utf8')).toBe(`one\ntwo ü\n${`${'x'.repeat(50)}\n`.repeat(1_000)}`);
  });

  it('keeps what a full pipe does not take, whole', () => {
    const fd = pipe();
    const lines = new LineBuffer(fd);
    const line = `${'ü'.repeat(33)}\n`;
    for (let index = 0; index < 5_000; index += 1) lines.write(line);
    const read = emptied(lines, fd);
    expect(read).toBe(line.repeat(5_000));
  });

  it('loses lines rather than memory if they are not read, and counts them', () => {
    const fd = pipe();
    const lines = new LineBuffer(fd);
    const line = `${'x'.repeat(99)}\n`;
    for (let index = 0; index < 20_000; index += 1) lines.write(line);
    const read = emptied(lines, fd);
    const note = JSON.parse(read.trimEnd().split('\n').at(-1) ?? '');
    expect(note).toMatchObject({ level: 'warn', message: 'log lines were lost' });
    expect(read.split(line).length - 1 + note.lines).toBe(20_000);
    expect(note.lines).toBeGreaterThan(5_000);
    lines.write('after\n');
    lines.flush();
    expect(drain(fd).toString()).toBe('after\n');
  });

  it('gives up what cannot be written at all', () => {
    const fd = opened(join(directory, 'log'), 'w');
    const lines = new LineBuffer(opened(join(directory, 'log'), 'r'));
    lines.write('lost\n');
    lines.flush();
    lines.flushAtEnd();
    expect(fd).toBeGreaterThan(0);
  });
});
