import { type Actor, serverNotFound } from '../../domain/access/actor.ts';
import {
  describePolicy,
  MAX_POLICIES,
  type NewPatchPolicy,
  type PatchPolicy,
  type PolicyDescription,
  policyNotFound,
  policyOf,
} from '../../domain/automation/patch-policy.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { MAX_HOSTS, visibleSelector } from '../../domain/fleet/host-selector.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds, visibleReach } from '../fleet/list-servers.ts';
import type { ChangeRecord } from '../ports/events/change-record.ts';

/** What updates may change on which servers. Operators change policies: tokens could otherwise pass them. */
export class PatchPolicies extends UseCase<'policies' | 'selection' | 'clock' | 'servers.tags'> {
  /** By name. A caller that is limited to servers sees neither other servers' ids and tags, nor policies only for those. */
  async list(actor: Actor, { limit, offset }: PageRequest): Promise<Page<PatchPolicy>> {
    actor.require('read');
    const reach = await visibleReach(this.deps.servers, actor);
    const visible = (await this.deps.policies.list()).flatMap((policy) => {
      const selector = visibleSelector(policy.selector, reach);
      return selector === null ? [] : [{ ...policy, selector }];
    });
    return { items: visible.slice(offset, offset + limit), total: visible.length, limit, offset };
  }

  /** How many of the servers that the caller sees follow a policy, by its id; others follow none. */
  async followers(actor: Actor): Promise<ReadonlyMap<number, number>> {
    actor.require('read');
    const [policies, servers] = await Promise.all([
      this.deps.policies.list(),
      this.deps.selection.select({ by: 'all' }, visibleIds(actor), MAX_HOSTS),
    ]);
    const counts = new Map<number, number>();
    for (const server of servers) {
      const id = policyOf(policies, server)?.id;
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }

  /** The policy of a server; `null` if none applies. */
  async of(server: Pick<Server, 'id' | 'tags'>): Promise<PatchPolicy | null> {
    return policyOf(await this.deps.policies.list(), server);
  }

  /** Throws `role_missing`, `invalid_input`, `server_not_found`, `name_taken`. */
  async add(actor: Actor, asked: PolicyDescription): Promise<PatchPolicy> {
    const { policy, now } = await this.#described(actor, asked);
    if ((await this.deps.policies.list()).length >= MAX_POLICIES)
      throw new InvalidInput([{ path: '', message: `The limit of ${MAX_POLICIES} policies is reached.` }]);
    return this.deps.policies.add(policy, recordOf(actor, 'policy.add', now));
  }

  /** Replaces all of it. Throws as `add` does, and `policy_not_found`. */
  async edit(actor: Actor, id: number, asked: PolicyDescription): Promise<PatchPolicy> {
    const { policy, now } = await this.#described(actor, asked);
    return this.deps.policies.change(id, policy, recordOf(actor, 'policy.edit', now));
  }

  /** Throws `role_missing`, `policy_not_found`. */
  async remove(actor: Actor, name: string): Promise<PatchPolicy> {
    actor.requireRole('operator');
    const policy = (await this.deps.policies.list()).find((each) => each.name === name);
    if (!policy) throw policyNotFound(`"${name.slice(0, 60)}"`);
    const audit = [
      auditEntry(actor, this.deps.clock.now(), 'policy.remove', `policy:${policy.id}`, { name }),
    ];
    await this.deps.policies.remove(policy.id, { audit });
    return policy;
  }

  async #described(
    actor: Actor,
    asked: PolicyDescription,
  ): Promise<{ readonly policy: NewPatchPolicy; readonly now: Instant }> {
    actor.requireRole('operator');
    const now = this.deps.clock.now();
    const policy = describePolicy(asked, { createdBy: actor.label, at: now });
    const { selector } = policy;
    if (selector.by === 'ids') {
      const found = await this.deps.selection.select(selector, null, MAX_HOSTS);
      const missing = selector.ids.find((id) => !found.some((server) => server.id === id));
      if (missing !== undefined) throw serverNotFound(missing);
    }
    return { policy, now };
  }
}

const recordOf =
  (actor: Actor, action: string, at: Instant) =>
  ({ id, createdBy: _by, createdAt: _at, ...policy }: PatchPolicy): ChangeRecord => ({
    audit: [auditEntry(actor, at, action, `policy:${id}`, { ...policy })],
  });
