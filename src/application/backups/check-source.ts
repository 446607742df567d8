import type { Actor } from '../../domain/access/actor.ts';
import { sourceNotFound } from '../../domain/backups/backup-source.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';
import type { SourceCheck, SourceChecks } from './source-checks.ts';

/** Tests a source's hooks and dumps on its server. It uses their passwords, so it is for those who may change sources. */
export class CheckSource extends UseCase<
  'servers' | 'sources',
  { readonly opener: Pick<HostOpener, 'open'>; readonly sourceChecks: Pick<SourceChecks, 'of'> }
> {
  /** Throws `role_missing`, `server_not_found`, `source_not_found`, as `requireControl`, and as `SourceChecks.of`. */
  async execute(
    actor: Actor,
    serverId: number,
    name: string,
    signal: AbortSignal,
  ): Promise<readonly SourceCheck[]> {
    actor.requireRole('operator', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    requireControl(actor, server, 'source.edit');
    const source = (await this.deps.sources.ofServer(serverId)).find((each) => each.name === name);
    if (!source) throw sourceNotFound(name);
    return withHost(this.deps.opener, server, { signal }, (host) =>
      this.deps.sourceChecks.of(source, host, signal),
    );
  }
}
