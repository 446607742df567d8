import { type JournalSubject, jailWriteJournalContract } from '../contracts/jail-write-journal.contract.ts';
import { InMemoryWriteJournal } from './in-memory-write-journal.ts';

jailWriteJournalContract('in memory', async () => {
  const dead = new Set<string>();
  const shelf = { entries: new Map(), isDead: (writer: string) => dead.has(writer), now: () => subject.now };
  const subject: JournalSubject = {
    process: (name) => new InMemoryWriteJournal(name, shelf),
    end: (name) => dead.add(name),
    now: 1,
  };
  return subject;
});
