import type { Actor } from '../../domain/access/actor.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { type RetentionDecision, retainSnapshots } from '../../domain/backups/retention-policy.ts';
import type { Snapshot } from '../../domain/backups/snapshot.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

export interface SourceRetention {
  readonly source: BackupSource;
  /** By the same rules as the job; the job skips a snapshot that is being read until its next run. */
  readonly decision: RetentionDecision<Snapshot>;
}

/** What retention would keep and remove of a server's snapshots now, and why. Changes nothing. */
export class PreviewRetention extends UseCase<'servers' | 'sources' | 'snapshots' | 'clock'> {
  /** By source. Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number): Promise<readonly SourceRetention[]> {
    actor.require('read');
    await existingServer(this.deps.servers, actor, serverId);
    const previews: SourceRetention[] = [];
    for (const source of await this.deps.sources.ofServer(serverId)) {
      const decision = retainSnapshots(
        source.retention,
        await this.deps.snapshots.ofSource(source.id),
        this.deps.clock.now(),
      );
      previews.push({ source, decision });
    }
    return previews;
  }
}
