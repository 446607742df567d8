import { CommitLocks } from '../../outbound/hosts/jail/commit-locks.ts';
import { FileWriteJournal } from '../../outbound/hosts/jail/file-write-journal.ts';
import { JournalledJails } from '../../outbound/hosts/jail/journalled-jails.ts';
import { LocalJails } from '../../outbound/hosts/jail/local/local-jail-fs.ts';
import { ShellJails } from '../../outbound/hosts/jail/remote/shell-jails.ts';
import { RoutingJails } from '../../outbound/hosts/jail/routing-jails.ts';
import { ZipArchiver } from '../../outbound/zip/zip-archiver.ts';
import type { Makers } from '../program.ts';

/** Files of servers. */
export const filePorts = {
  journal: ({ dataDir, processes, randomness, clock }) =>
    new FileWriteJournal({
      dataDir,
      processes,
      newId: () => Buffer.from(randomness.bytes(12)).toString('hex'),
      now: () => clock.now(),
    }),
  jails: ({ processes, randomness, clock, hosts, places, journal }) => {
    const shared = { randomBytes: (count: number) => randomness.bytes(count), locks: new CommitLocks() };
    const now = (): number => clock.now();
    const local = new LocalJails({ ...shared, processes, now, keptOut: () => places.here() });
    const ssh = new ShellJails({ ...shared, hosts, places, now });
    return new JournalledJails(new RoutingJails({ local, ssh }), journal);
  },
  archiver: () => new ZipArchiver(),
} satisfies Partial<Makers>;
