import type { Actor } from '../../domain/access/actor.ts';
import { featureOfFlag } from '../../domain/access/scope.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  changedFlags,
  FEATURE_FLAGS,
  type FeatureFlag,
  type FeatureFlags,
  type Server,
} from '../../domain/fleet/server.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import { existingServer } from './get-server.ts';

interface Deps {
  readonly servers: ServerStore;
  readonly clock: Clock;
  readonly refusals: RefusalAuditor;
}

/** Switches features of a server on and off. */
export class SetFeatures {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `changed` names the flags that changed. Throws `approval_required`, and `empty_change` if no flag is given. */
  execute(
    actor: Actor,
    serverId: number,
    flags: Partial<FeatureFlags>,
  ): Promise<{ readonly changed: readonly FeatureFlag[]; readonly server: Server }> {
    return this.#deps.refusals.watch(
      { actor, action: 'server.set_features', object: `server:${serverId}`, detail: { flags } },
      () => this.#set(actor, serverId, flags),
    );
  }

  async #set(actor: Actor, serverId: number, flags: Partial<FeatureFlags>) {
    actor.require('edit');
    actor.requireNoApproval();
    const named = FEATURE_FLAGS.filter((flag) => flags[flag] !== undefined);
    for (const flag of named) actor.requireFeature(featureOfFlag(flag));
    const server = await existingServer(this.#deps.servers, actor, serverId);
    if (named.length === 0) {
      throw new DomainError('empty_change', `Name at least one of ${FEATURE_FLAGS.join(', ')}.`);
    }
    const changed = changedFlags(server.features, flags);
    if (changed.length === 0) return { changed, server };
    const now = this.#deps.clock.now();
    const after = await this.#deps.servers.setFeatures(serverId, flags, now, (saved) => ({
      audit: [
        auditEntry(actor, now, 'server.set_features', `server:${serverId}`, { features: saved.features }),
      ],
    }));
    return { changed, server: after };
  }
}
