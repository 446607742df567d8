import type { Actor } from '../../domain/access/actor.ts';
import { repositoryNotFound } from '../../domain/backups/backup-repository.ts';
import { DomainError, InvalidInput, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { TransferWatch } from '../ports/backups/backup-engine.ts';
import type { RepositoryAccess } from './repository-access.ts';

/** Has a server check a repository. For users only. */
export class CheckRepository extends UseCase<
  'repositories' | 'sources' | 'servers' | 'inspector' | 'audit' | 'clock',
  { readonly repositoryAccess: RepositoryAccess; readonly opener: HostOpener }
> {
  /** Throws `repository_not_found`, `server_not_found`, `invalid_input`, `repository_unusable`, and as connecting does. */
  async execute(
    actor: Actor,
    order: { readonly name: string; readonly serverId: number | null; readonly readPercent: number },
    watch: TransferWatch,
  ): Promise<{ readonly serverName: string; readonly snapshots: number }> {
    if (actor.kind === 'token') {
      throw new DomainError(
        'scope_missing',
        'API tokens cannot check repositories. Ask an operator to do it.',
      );
    }
    const found = await this.deps.repositories.findByName(order.name);
    if (!found) throw repositoryNotFound(order.name);
    const server = await existingServer(
      this.deps.servers,
      actor,
      order.serverId ?? (await this.#userOf(found.id)),
    );
    const note = (outcome: string, more: object = {}): Promise<void> =>
      this.deps.audit.record(
        auditEntry(
          actor,
          this.deps.clock.now(),
          'repository.check',
          `repository:${found.id}`,
          { serverId: server.id, readPercent: order.readPercent, ...more },
          outcome,
        ),
      );
    const host = await this.deps.opener.open(server, { signal: watch.signal, purpose: 'bulk' });
    try {
      const opened = await this.deps.repositoryAccess.byId(found.id);
      const { snapshots } = await this.deps.inspector.check(host, opened, order.readPercent, watch);
      await note('done', { snapshots });
      return { serverName: server.name, snapshots };
    } catch (error) {
      await note(isDomainError(error) ? error.code : 'internal');
      throw error;
    } finally {
      host.release();
    }
  }

  /** A server that backs up to it. */
  async #userOf(repositoryId: number): Promise<number> {
    const user = (await this.deps.sources.identities()).find(
      (source) => source.repositoryId === repositoryId,
    );
    if (user) return user.serverId;
    throw new InvalidInput([
      {
        path: '/server',
        message: 'No server backs up to this repository yet. Name the server to check it from.',
      },
    ]);
  }
}
