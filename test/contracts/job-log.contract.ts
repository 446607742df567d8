import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { LOG_PART_BYTES } from '../../src/domain/jobs/job-log.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import type { MakeJobSubject } from '../support/job-subject.ts';
import { newJob, running, stored, wholeLog } from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT } from '../support/stores-subject.ts';

const bytes = (text: string): number => Buffer.byteLength(text);

/** Lines appended by a claim can be read, page by page and from the end. */
export function jobLogContract(makeSubject: MakeJobSubject): void {
  describe('log', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const job = async (): Promise<Claim> => running(subject(), newJob(await server()));
    const append = (claim: Claim, text: string): Promise<void> => subject().queue.appendLog(claim, text, AT);
    const read = (claim: Claim, after: number) => subject().store.readLog(claim.job.id, after);

    it('starts empty', async () => {
      const claim = await job();
      expect(await read(claim, 0)).toEqual({ next: 0, text: '', cutBytes: 0 });
      expect(await subject().store.tail(claim.job.id, 10)).toEqual([]);
    });

    it('returns what was appended, in order, and nothing twice', async () => {
      const claim = await job();
      await append(claim, 'one\ntwo\n');
      const first = await read(claim, 0);
      expect(first).toEqual({ next: 8, text: 'one\ntwo\n', cutBytes: 0 });
      expect(await read(claim, first.next)).toEqual({ next: 8, text: '', cutBytes: 0 });
      await append(claim, '\n\u001b[31mthrée\u001b[0m\r\t\u0000🐑\n');
      const second = await read(claim, first.next);
      expect(second.text).toBe('\n\u001b[31mthrée\u001b[0m\r\t\u0000🐑\n');
      expect(second.next).toBe(8 + bytes(second.text));
    });

    it('gives 64 KiB at a time, without splitting a character', async () => {
      const claim = await job();
      const line = `${'🐑'.repeat(700)}ä\n`;
      const written = line.repeat(23).repeat(3);
      for (let part = 0; part < 3; part += 1) await append(claim, line.repeat(23));
      let text = '';
      for (let after = 0; after < bytes(written); ) {
        const part = await read(claim, after);
        expect(bytes(part.text)).toBeLessThanOrEqual(LOG_PART_BYTES);
        expect(part.next - after).toBe(bytes(part.text));
        text += part.text;
        after = part.next;
      }
      expect(text).toBe(written);
    });

    it('reads on from any position, even one inside a character or beyond the end', async () => {
      const claim = await job();
      await append(claim, 'aä🐑\n');
      expect(await read(claim, 1)).toEqual({ next: 8, text: 'ä🐑\n', cutBytes: 0 });
      expect(await read(claim, 2)).toEqual({ next: 8, text: '🐑\n', cutBytes: 0 });
      expect(await read(claim, 5)).toEqual({ next: 8, text: '\n', cutBytes: 0 });
      expect(await read(claim, 99)).toEqual({ next: 8, text: '', cutBytes: 0 });
      expect(await read(claim, -1)).toMatchObject({ text: 'aä🐑\n' });
    });

    it('takes parts of up to 64 KiB that end with a newline, and refuses others', async () => {
      const claim = await job();
      const largest = `${'x'.repeat(LOG_PART_BYTES - 1)}\n`;
      await append(claim, largest);
      await expect(append(claim, `x${largest}`)).rejects.toThrow(RangeError);
      await expect(append(claim, `${'ä'.repeat(LOG_PART_BYTES / 2)}\n`)).rejects.toThrow(RangeError);
      await expect(append(claim, 'half a li')).rejects.toThrow(RangeError);
      await append(claim, '');
      expect(await wholeLog(subject(), claim.job.id)).toEqual({ text: largest, cutBytes: 0 });
    });

    it('gives the last lines, oldest first', async () => {
      const claim = await job();
      const lines = Array.from({ length: 1_200 }, (_, n) => (n % 10 === 0 ? '' : `line ${n}`));
      for (let n = 0; n < lines.length; n += 40)
        await append(claim, `${lines.slice(n, n + 40).join('\n')}\n`);
      const tail = (count: number) => subject().store.tail(claim.job.id, count);
      expect(await tail(1)).toEqual(lines.slice(-1));
      expect(await tail(60)).toEqual(lines.slice(-60));
      expect(await tail(1_000)).toEqual(lines.slice(-1_000));
      expect(await tail(5_000)).toEqual(lines.slice(-1_000));
      expect(await tail(0)).toEqual([]);
    });

    it('keeps the last eight lines with the job, 2 KB of them', async () => {
      const claim = await job();
      const tail = async () => (await stored(subject(), claim.job.id)).logTail;
      await append(claim, '1\n2\n3\n');
      expect(await tail()).toEqual(['1', '2', '3']);
      await append(claim, '4\n5\n6\n7\n8\n9\n\u0000ten\n');
      expect(await tail()).toEqual(['3', '4', '5', '6', '7', '8', '9', '\u0000ten']);
      await append(claim, `${'🐑'.repeat(400)}\n`);
      expect(await tail()).toEqual(
        ['3', '4', '5', '6', '7', '8', '9', '\u0000ten'].slice(1).concat('🐑'.repeat(400)),
      );
      await append(claim, `${'🐑'.repeat(400)}\n`);
      expect(await tail()).toEqual(['🐑'.repeat(400)]);
      await append(claim, `${'ä'.repeat(5_000)}\n`);
      expect(await tail()).toEqual([`${'ä'.repeat(1_022)}…`]);
    });

    it('has no log for a job that is not there', async () => {
      await expectRefusal(subject().store.readLog(999_999, 0), 'job_not_found');
      await expectRefusal(subject().store.tail(999_999, 5), 'job_not_found');
    });
  });

  describe('log that grows too long', () => {
    // A line is 10 bytes: five lines fit the head, and five the tail.
    const { subject, server } = sharedSubject(makeSubject, { logLimits: { headBytes: 50, tailBytes: 50 } });
    const line = (n: number): string => `line ${String(n).padStart(4, '0')}\n`;
    const written = (from: number, to: number): string => {
      let text = '';
      for (let n = from; n <= to; n += 1) text += line(n);
      return text;
    };
    const job = async (lines: number): Promise<Claim> => {
      const claim = await running(subject(), newJob(await server()));
      for (let n = 1; n <= lines; n += 1) await subject().queue.appendLog(claim, line(n), AT);
      return claim;
    };
    const read = (claim: Claim, after: number) => subject().store.readLog(claim.job.id, after);

    it('is whole up to its limits', async () => {
      const claim = await job(10);
      expect(await wholeLog(subject(), claim.job.id)).toEqual({ text: written(1, 10), cutBytes: 0 });
    });

    it('keeps its head and its tail, and counts the bytes between', async () => {
      const claim = await job(23);
      expect(await wholeLog(subject(), claim.job.id)).toEqual({
        text: written(1, 5) + written(19, 23),
        cutBytes: 130,
      });
      expect(await read(claim, 0)).toEqual({ text: written(1, 5), next: 50, cutBytes: 0 });
      expect(await read(claim, 50)).toEqual({ text: written(19, 23), next: 230, cutBytes: 130 });
      expect(await read(claim, 120)).toEqual({ text: written(19, 23), next: 230, cutBytes: 60 });
      expect(await read(claim, 210)).toEqual({ text: written(22, 23), next: 230, cutBytes: 0 });
    });

    it('tells a follower that is overtaken what it misses', async () => {
      const claim = await job(7);
      const { next } = await read(claim, (await read(claim, 0)).next);
      expect(next).toBe(70);
      for (let n = 8; n <= 30; n += 1) await subject().queue.appendLog(claim, line(n), AT);
      expect(await read(claim, next)).toEqual({ text: written(26, 30), next: 300, cutBytes: 180 });
    });

    it('tells the cut among the last lines', async () => {
      const claim = await job(23);
      const tail = await subject().store.tail(claim.job.id, 7);
      expect(tail).toEqual([
        'line 0005',
        '[130 bytes were left out here: the log was too long]',
        ...written(19, 23).trim().split('\n'),
      ]);
      expect(await subject().store.tail(claim.job.id, 5)).toEqual(tail.slice(-5));
    });

    it('always keeps the part that was appended last', async () => {
      const claim = await job(3);
      await subject().queue.appendLog(claim, written(4, 20), AT);
      expect(await wholeLog(subject(), claim.job.id)).toEqual({ text: written(1, 20), cutBytes: 0 });
      await subject().queue.appendLog(claim, line(21), AT);
      expect(await wholeLog(subject(), claim.job.id)).toEqual({
        text: written(1, 3) + line(21),
        cutBytes: 170,
      });
    });
  });
}
