import type { Container } from 'inversify';
import { JailAccess } from '../../../application/files/jail-access.ts';
import { JailFileOps } from '../../../application/files/jail-file-ops.ts';
import { JailSweep } from '../../../application/files/jail-sweep.ts';
import { PrivilegedFileOps } from '../../../application/files/privileged-file-ops.ts';
import { LookAtHost } from '../../../application/fleet/look-at-host.ts';
import { CommitLocks } from '../../outbound/hosts/jail/commit-locks.ts';
import { FileWriteJournal } from '../../outbound/hosts/jail/file-write-journal.ts';
import { JournalledJails } from '../../outbound/hosts/jail/journalled-jails.ts';
import { LocalJails } from '../../outbound/hosts/jail/local/local-jails.ts';
import { ShellJails } from '../../outbound/hosts/jail/remote/shell-jails.ts';
import { RoutingJails } from '../../outbound/hosts/jail/routing-jails.ts';
import { ZipArchiver } from '../../outbound/zip/zip-archiver.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

const { audit, clock, hosts, processes, randomness, servers } = PORTS;

/** Files of servers. */
export function bindJails(container: Container): void {
  container
    .bind(PORTS.jailWrites)
    .toResolvedValue(
      (dataDir, list, chance, time) =>
        new FileWriteJournal({
          dataDir,
          processes: list,
          newId: () => Buffer.from(chance.bytes(12)).toString('hex'),
          now: () => time.now(),
        }),
      [VALUES.dataDir, processes, randomness, clock],
    )
    .inSingletonScope();
  container
    .bind(PORTS.jails)
    .toResolvedValue(
      (list, chance, time, remote, places, journal) => {
        const shared = { randomBytes: (count: number) => chance.bytes(count), locks: new CommitLocks() };
        const routing = new RoutingJails({
          local: new LocalJails({
            ...shared,
            processes: list,
            now: () => time.now(),
            keptOut: () => places.here(),
          }),
          ssh: new ShellJails({ ...shared, hosts: remote, places, now: () => time.now() }),
        });
        return new JournalledJails(routing, journal);
      },
      [processes, randomness, clock, hosts, PORTS.places, PORTS.jailWrites],
    )
    .inSingletonScope();
  bindClass(container, USE_CASES.jailSweep, JailSweep, {
    journal: PORTS.jailWrites,
    servers,
    opener: SHARED.opener,
    jails: PORTS.jails,
    clock,
  });
  bindClass(container, SHARED.jailAccess, JailAccess, { servers, opener: SHARED.opener, jails: PORTS.jails });
  container.bind(PORTS.archiver).toConstantValue(new ZipArchiver());
  bindClass(container, USE_CASES.privilegedFileOps, PrivilegedFileOps, {
    access: SHARED.jailAccess,
    archiver: PORTS.archiver,
    audit,
    clock,
    refusals: SHARED.refusals,
    mostBytes: VALUES.fileLimitBytes,
  });
  bindClass(container, USE_CASES.lookAtHost, LookAtHost, {
    servers,
    opener: SHARED.opener,
    jails: PORTS.jails,
    audit,
    clock,
    refusals: SHARED.refusals,
    mostBytes: VALUES.fileLimitBytes,
    enabled: VALUES.hostFiles,
  });
  bindClass(container, USE_CASES.jailFileOps, JailFileOps, {
    access: SHARED.jailAccess,
    audit,
    clock,
    refusals: SHARED.refusals,
    mostBytes: VALUES.fileLimitBytes,
  });
}
