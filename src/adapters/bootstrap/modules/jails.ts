import type { Container } from 'inversify';
import { JailAccess } from '../../../application/jail-access.ts';
import { JailFileOps } from '../../../application/jail-file-ops.ts';
import { CommitLocks } from '../../jail/commit-locks.ts';
import { LocalJails } from '../../jail/local/local-jails.ts';
import { ShellJails } from '../../jail/remote/shell-jails.ts';
import { RoutingJails } from '../../jail/routing-jails.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

const { audit, clock, hosts, processes, randomness, servers } = PORTS;

/** Files of servers. */
export function bindJails(container: Container): void {
  container
    .bind(PORTS.jails)
    .toResolvedValue(
      (list, chance, time, remote, dataDir) => {
        const shared = { randomBytes: (count: number) => chance.bytes(count), locks: new CommitLocks() };
        return new RoutingJails({
          local: new LocalJails({ ...shared, processes: list, now: () => time.now(), keepOut: [dataDir] }),
          ssh: new ShellJails({ ...shared, hosts: remote }),
        });
      },
      [processes, randomness, clock, hosts, VALUES.dataDir],
    )
    .inSingletonScope();
  bindClass(container, SHARED.jailAccess, JailAccess, { servers, opener: SHARED.opener, jails: PORTS.jails });
  bindClass(container, USE_CASES.jailFileOps, JailFileOps, {
    access: SHARED.jailAccess,
    audit,
    clock,
    refusals: SHARED.refusals,
    mostBytes: VALUES.fileLimitBytes,
  });
}
