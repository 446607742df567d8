import { describe, expect, test } from 'vitest';
import { JobLog } from '../../../src/application/jobs/job-log.ts';

const NOON = Date.parse('2026-03-01T12:00:00.000Z');

function collecting(): { log: JobLog; written: string[]; fail: { next: boolean } } {
  const written: string[] = [];
  const fail = { next: false };
  const log = new JobLog(
    (text) => {
      if (fail.next) {
        fail.next = false;
        return Promise.reject(new Error('away'));
      }
      written.push(text);
      return Promise.resolve();
    },
    () => NOON,
  );
  return { log, written, fail };
}

describe('the log of a job', () => {
  test('puts the time before each line, and breaks texts into lines', async () => {
    const { log, written } = collecting();
    log.add('one');
    log.add('two\r\nthree');
    await log.flush();
    expect(written.join('')).toBe('12:00:00 one\n12:00:00 two\n12:00:00 three\n');
  });

  test('keeps colours and tabs, and takes out what could move a terminal', async () => {
    const { log, written } = collecting();
    log.add('\u001b[31mred\u001b[0m\t\u001b[2J\u001b]0;title\u0007\u0007\u0000end');
    await log.flush();
    expect(written.join('')).toBe('12:00:00 \u001b[31mred\u001b[0m\tend\n');
  });

  test('writes chunks of whole lines, 64 KiB of UTF-8 at the most', async () => {
    const { log, written } = collecting();
    for (let i = 0; i < 200; i += 1) log.add('ü'.repeat(1_000));
    await log.flush();
    expect(written.length).toBeGreaterThan(1);
    for (const chunk of written) {
      expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(64 * 1024);
      expect(chunk.endsWith('\n')).toBe(true);
    }
    expect(written.join('').split('\n').length - 1).toBe(200);
  });

  test('breaks an endless line, and never inside a character', async () => {
    const { log, written } = collecting();
    log.add('😀'.repeat(10_000));
    await log.flush();
    const text = written.join('').replaceAll(/12:00:00 |\n/g, '');
    expect(text).toBe('😀'.repeat(10_000));
  });

  test('keeps what could not be written, and writes it in order the next time', async () => {
    const { log, written, fail } = collecting();
    log.add('one');
    fail.next = true;
    await expect(log.flush()).rejects.toThrow('away');
    log.add('two');
    await log.flush();
    expect(written.join('')).toBe('12:00:00 one\n12:00:00 two\n');
  });

  test('never holds more than a mebibyte, and counts lost lines', async () => {
    const { log, written } = collecting();
    for (let i = 0; i < 300; i += 1) log.add('x'.repeat(8_000));
    await log.flush();
    log.add('after');
    await log.flush();
    const text = written.join('');
    expect(Buffer.byteLength(text)).toBeLessThan(1_100_000);
    expect(text).toMatch(
      /\((\d+) lines were lost here: the database was too slow to take them\)\n12:00:00 after\n$/,
    );
  });

  test('flushes one at a time, however often it is asked', async () => {
    let atOnce = 0;
    let most = 0;
    const log = new JobLog(
      async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
      },
      () => NOON,
    );
    const flushes: Promise<void>[] = [];
    for (let i = 0; i < 20; i += 1) {
      log.add(`line ${i}`);
      flushes.push(log.flush());
    }
    await Promise.all(flushes);
    expect(most).toBe(1);
  });
});
