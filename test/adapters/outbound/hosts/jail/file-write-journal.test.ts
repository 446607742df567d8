import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileWriteJournal } from '../../../../../src/adapters/outbound/hosts/jail/file-write-journal.ts';
import { JailPath } from '../../../../../src/domain/files/jail-path.ts';
import {
  type JournalSubject,
  jailWriteJournalContract,
} from '../../../../contracts/jail-write-journal.contract.ts';

const made: string[] = [];
afterAll(() => Promise.all(made.map((dataDir) => rm(dataDir, { recursive: true }))));

async function makeSubject(): Promise<JournalSubject & { readonly dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-writes-'));
  made.push(dataDir);
  const dead = new Set<string>();
  let last = 0;
  const subject = {
    dataDir,
    process: (name: string) =>
      new FileWriteJournal({
        dataDir,
        processes: { self: name, isDead: (writer) => dead.has(writer) },
        newId: () => {
          last += 1;
          return `id${last}`;
        },
        now: () => subject.now,
      }),
    end: (name: string) => void dead.add(name),
    now: 1,
  };
  return subject;
}

jailWriteJournalContract('in files', makeSubject);

describe('a journal in files', () => {
  it('is for the service alone, and leaves nothing', async () => {
    const subject = await makeSubject();
    const { dataDir } = subject;
    const journal = subject.process('one');
    const id = await journal.begin({ serverId: 1, jail: '/srv/jail', directory: JailPath.ROOT });
    const [name = ''] = await readdir(join(dataDir, 'writes'));
    expect((await stat(join(dataDir, 'writes'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(dataDir, 'writes', name))).mode & 0o777).toBe(0o600);
    await journal.end(id);
    expect(await readdir(join(dataDir, 'writes'))).toEqual([]);
  });

  it('passes over what a power cut left of an entry, and what is none', async () => {
    const subject = await makeSubject();
    const { dataDir } = subject;
    const journal = subject.process('one');
    await journal.begin({ serverId: 1, jail: '/srv/jail', directory: JailPath.ROOT });
    await writeFile(join(dataDir, 'writes', 'gone~id.json'), '{"server_id":');
    await writeFile(join(dataDir, 'writes', 'README'), '');
    subject.end('gone');
    expect(await subject.process('next').left()).toEqual([]);
    expect((await readdir(join(dataDir, 'writes'))).sort()).toEqual(['README', 'one~id1.json']);
  });
});
