import { beforeEach, describe, expect, it } from 'vitest';
import type { JailWriteJournal } from '../../src/application/ports/files/jail-write-journal.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';

const PLACE = { serverId: 7, jail: '/srv/it\'s "one"', directory: JailPath.parse('a b/größe') };

/** Processes that write into one journal. */
export interface JournalSubject {
  process(name: string): JailWriteJournal;
  /** From now on it is known to be dead. */
  end(name: string): void;
  now: number;
}

/** Every `JailWriteJournal` does this. */
export function jailWriteJournalContract(name: string, makeSubject: () => Promise<JournalSubject>): void {
  describe(`JailWriteJournal: ${name}`, () => {
    let subject: JournalSubject;
    let one: JailWriteJournal;
    let other: JailWriteJournal;
    beforeEach(async () => {
      subject = await makeSubject();
      one = subject.process('one');
      other = subject.process('other');
    });

    it('has no entries at first, nor of running or ended writes', async () => {
      expect(await one.left()).toEqual([]);
      const id = await one.begin(PLACE);
      expect([await one.left(), await other.left()]).toEqual([[], []]);
      await one.end(id);
      await one.end(id);
      subject.end('one');
      expect([await one.left(), await other.left()]).toEqual([[], []]);
    });

    it('lists a write that its own process has given up, until it is ended', async () => {
      subject.now = 1_000;
      const id = await one.begin(PLACE);
      const second = await one.begin({ ...PLACE, serverId: 8 });
      one.abandon(id);
      expect(await one.left()).toEqual([{ id, ...PLACE, begunAt: 1_000 }]);
      await one.end(id);
      expect(await one.left()).toEqual([]);
      await one.end(second);
    });

    it('lists the writes of dead processes', async () => {
      const id = await one.begin(PLACE);
      await other.begin(PLACE);
      subject.end('one');
      expect((await other.left()).map((left) => left.id)).toEqual([id]);
      expect((await subject.process('next').left()).map((left) => left.id)).toEqual([id]);
    });

    it('lists what is older than a day, whichever process wrote it', async () => {
      const id = await one.begin(PLACE);
      subject.now += DAY;
      expect(await other.left()).toEqual([]);
      subject.now += 1;
      expect((await other.left()).map((left) => left.id)).toEqual([id]);
    });
  });
}
