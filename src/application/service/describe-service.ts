import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import type { Replica } from '../ports/service/replica-store.ts';

/** Versions and platform. */
export interface ServiceDescription {
  readonly version: string;
  readonly database: string;
  /** Names the key that encrypts secrets. */
  readonly keyId: string;
  /** Those that showed themselves within a minute; they do so every ten seconds. */
  readonly replicas: readonly Replica[];
  /** When this process started; `null`: just now. */
  readonly startedAt: Instant | null;
}

/** Describes the running service. For administrators only, since it would help an attacker. */
export class DescribeService extends UseCase<
  'version' | 'owner' | 'databaseHealth.product' | 'replicas.list' | 'box.keyId'
> {
  async execute(actor: Actor): Promise<ServiceDescription> {
    actor.requireRole('administrator');
    const [database, all] = await Promise.all([
      this.deps.databaseHealth.product(),
      this.deps.replicas.list(),
    ]);
    const replicas = all.filter(({ seenAgoMs }) => seenAgoMs < MINUTE);
    return {
      version: this.deps.version,
      database,
      keyId: this.deps.box.keyId,
      replicas,
      startedAt: replicas.find(({ owner }) => owner === this.deps.owner)?.startedAt ?? null,
    };
  }
}
