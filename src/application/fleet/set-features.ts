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
import type { ChangePreview, FeatureChange } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { ChangeHandler } from '../jobs/change-handler.ts';
import { existingServer } from './get-server.ts';

interface FlagsToChange {
  readonly changed: readonly FeatureFlag[];
  readonly server: Server;
}

/** Switches features of a server on and off. */
export class SetFeatures
  extends UseCase<'servers' | 'clock', { readonly refusals: RefusalAuditor }>
  implements ChangeHandler<FeatureChange>
{
  /**
   * `changed` names the flags that changed. Throws `empty_change` if no flag is given, and `approval_required` for
   * callers that have to request the change.
   */
  execute(actor: Actor, serverId: number, flags: Partial<FeatureFlags>): Promise<FlagsToChange> {
    return this.deps.refusals.watch(
      { actor, action: 'server.set_features', object: `server:${serverId}`, detail: { flags } },
      () => this.#set(actor, serverId, flags),
    );
  }

  async preview(actor: Actor, { serverId, flags }: FeatureChange): Promise<ChangePreview | null> {
    const { changed, server } = await this.#check(actor, serverId, flags);
    if (changed.length === 0) return null;
    const facts = changed.map((flag) => ({
      name: flag,
      before: word(server.features[flag]),
      after: word(flags[flag]),
    }));
    return {
      serverId,
      subject: server.name,
      summary: facts.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join(', '),
      facts,
      diff: null,
      state: JSON.stringify(facts),
    };
  }

  async perform(actor: Actor, { serverId, flags }: FeatureChange): Promise<void> {
    await this.execute(actor, serverId, flags);
  }

  async #check(actor: Actor, serverId: number, flags: Partial<FeatureFlags>): Promise<FlagsToChange> {
    actor.require('edit', serverId);
    const named = FEATURE_FLAGS.filter((flag) => flags[flag] !== undefined);
    for (const flag of named) actor.requireFeature(featureOfFlag(flag));
    const server = await existingServer(this.deps.servers, actor, serverId);
    if (named.length === 0) {
      throw new DomainError('empty_change', `Name at least one of ${FEATURE_FLAGS.join(', ')}.`);
    }
    return { changed: changedFlags(server.features, flags), server };
  }

  async #set(actor: Actor, serverId: number, flags: Partial<FeatureFlags>): Promise<FlagsToChange> {
    const { changed, server } = await this.#check(actor, serverId, flags);
    if (changed.length === 0) return { changed, server };
    actor.requireNoApproval();
    const now = this.deps.clock.now();
    const after = await this.deps.servers.setFeatures(serverId, flags, now, (saved) => ({
      audit: [
        auditEntry(actor, now, 'server.set_features', `server:${serverId}`, {
          features: saved.features,
          changed: [...changed],
        }),
      ],
    }));
    return { changed, server: after };
  }
}

const word = (isOn: boolean | undefined): string => (isOn ? 'on' : 'off');
