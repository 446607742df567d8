import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { SecretBox } from '../ports/base/secret-box.ts';
import type { DatabaseHealth } from '../ports/service/database-health.ts';
import type { Replica, ReplicaStore } from '../ports/service/replica-store.ts';

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

interface Deps {
  readonly databaseHealth: Pick<DatabaseHealth, 'product'>;
  readonly replicas: Pick<ReplicaStore, 'list'>;
  readonly box: Pick<SecretBox, 'keyId'>;
  readonly version: string;
  readonly owner: string;
}

/** Describes the running service. For administrators only, since it would help an attacker. */
export class DescribeService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(actor: Actor): Promise<ServiceDescription> {
    actor.requireRole('administrator');
    const [database, all] = await Promise.all([
      this.#deps.databaseHealth.product(),
      this.#deps.replicas.list(),
    ]);
    const replicas = all.filter(({ seenAgoMs }) => seenAgoMs < MINUTE);
    return {
      version: this.#deps.version,
      database,
      keyId: this.#deps.box.keyId,
      replicas,
      startedAt: replicas.find(({ owner }) => owner === this.#deps.owner)?.startedAt ?? null,
    };
  }
}
