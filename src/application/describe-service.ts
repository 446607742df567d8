import type { Actor } from '../domain/actor.ts';
import { type Instant, MINUTE } from '../domain/instant.ts';
import type { DatabaseHealth } from './ports/database-health.ts';
import type { Replica, ReplicaStore } from './ports/replica-store.ts';
import type { SecretBox } from './ports/secret-box.ts';

/** What runs here. */
export interface ServiceDescription {
  readonly version: string;
  readonly database: string;
  /** Names the key that seals secrets. */
  readonly keyId: string;
  /** Those that showed themselves within a minute; they do so every ten seconds. */
  readonly replicas: readonly Replica[];
  /** When this process began to work; `null`: a moment ago. */
  readonly startedAt: Instant | null;
}

/** Says what runs, on what. For administrators: it tells where to attack, too. */
export class DescribeService {
  readonly #database: Pick<DatabaseHealth, 'product'>;
  readonly #replicas: Pick<ReplicaStore, 'list'>;
  readonly #box: Pick<SecretBox, 'keyId'>;
  readonly #version: string;
  readonly #owner: string;

  constructor(deps: {
    database: Pick<DatabaseHealth, 'product'>;
    replicas: Pick<ReplicaStore, 'list'>;
    box: Pick<SecretBox, 'keyId'>;
    version: string;
    owner: string;
  }) {
    this.#database = deps.database;
    this.#replicas = deps.replicas;
    this.#box = deps.box;
    this.#version = deps.version;
    this.#owner = deps.owner;
  }

  async execute(actor: Actor): Promise<ServiceDescription> {
    actor.requireRole('administrator');
    const [database, all] = await Promise.all([this.#database.product(), this.#replicas.list()]);
    const replicas = all.filter(({ seenAgoMs }) => seenAgoMs < MINUTE);
    return {
      version: this.#version,
      database,
      keyId: this.#box.keyId,
      replicas,
      startedAt: replicas.find(({ owner }) => owner === this.#owner)?.startedAt ?? null,
    };
  }
}
