import type { Actor } from '../../domain/access/actor.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type HostSelector, hostSelector, staysWithin } from '../../domain/fleet/host-selector.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { describeChange } from '../../domain/fleet/server-description.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from './list-servers.ts';
import { requireTagChange } from './tag-rights.ts';

/** Each server gets its own entry in the audit log. */
const MAX_SERVERS = 2_000;
const MAX_TAGS = 1_000;

/** A tag, and what selects servers by it. */
export interface TagUse {
  readonly tag: string;
  readonly servers: number;
  /** Names. */
  readonly schedules: readonly string[];
  readonly windows: readonly string[];
  readonly policies: readonly string[];
}

/** The tags of all servers, and of the schedules, windows and policies that select servers by them. */
export class ManageTags extends UseCase<
  'servers' | 'schedules' | 'windows' | 'policies' | 'clock' | 'users.grantedTags'
> {
  /** The most frequent first, then by name. */
  async list(actor: Actor): Promise<readonly TagUse[]> {
    actor.require('read');
    const reach = actor.reach('read');
    const visible = <T extends TagUser>(all: readonly T[]): readonly T[] =>
      all.filter(({ selector }) => staysWithin(selector, reach));
    const [counted, schedules, windows, policies] = await Promise.all([
      this.deps.servers.tags({ ids: visibleIds(actor) }, MAX_TAGS),
      this.deps.schedules.list().then(visible),
      this.deps.windows.list().then(visible),
      this.deps.policies.list().then(visible),
    ]);
    const counts = new Map(counted.map(({ tag, servers }) => [tag, servers]));
    for (const { selector } of [...schedules, ...windows, ...policies])
      for (const tag of tagsOf(selector)) if (!counts.has(tag)) counts.set(tag, 0);
    return [...counts].map(([tag, servers]) => ({
      tag,
      servers,
      schedules: namesOf(schedules, tag),
      windows: namesOf(windows, tag),
      policies: namesOf(policies, tag),
    }));
  }

  /**
   * Renames it everywhere; a name that exists merges the two. For operators. Schedules keep their owner. Returns the
   * number of changed servers. Throws `invalid_input`. If it is interrupted, repeat it: selectors have both tags until
   * all servers are changed, so that none of them loses servers.
   */
  async rename(actor: Actor, tag: string, to: string): Promise<number> {
    actor.requireRole('operator');
    try {
      describeChange({ tags: [to] });
    } catch (error) {
      throw error instanceof InvalidInput ? faultAt('/to', error.problems[0]?.message ?? '') : error;
    }
    if (tag === to) throw faultAt('/to', 'Enter a different name.');
    await this.#refuseGranted(actor, tag);
    await requireTagChange(this.deps.users, actor, [to]);
    const now = this.deps.clock.now();
    const servers = await this.#servers(tag);
    const selectors = await this.#selectorsWith(tag);
    if (servers.length + selectors.length === 0) throw noSuchTag(tag);
    for (const change of selectors) await change(actor, now, [tag, to]);
    for (const server of servers) await this.#retag(actor, now, server, [...without(server.tags, tag), to]);
    for (const change of await this.#selectorsWith(tag)) await change(actor, now, [to]);
    return servers.length;
  }

  /** Removes it from all servers. For operators. Throws `invalid_input`, also while a schedule, window or policy selects by it. */
  async remove(actor: Actor, tag: string): Promise<number> {
    actor.requireRole('operator');
    const use = (await this.list(actor)).find((each) => each.tag === tag);
    if (!use) throw noSuchTag(tag);
    const users = [
      ...use.schedules.map((name) => `the schedule "${name}"`),
      ...use.windows.map((name) => `the maintenance window "${name}"`),
      ...use.policies.map((name) => `the patch policy "${name}"`),
    ];
    await this.#refuseGranted(actor, tag);
    if (users.length > 0) {
      throw faultAt('/tag', `The tag ${tag} selects the servers of ${users.join(', ')}. Change that first.`);
    }
    const now = this.deps.clock.now();
    const servers = await this.#servers(tag);
    for (const server of servers) await this.#retag(actor, now, server, without(server.tags, tag));
    return servers.length;
  }

  /** Users would lose their roles on its servers. */
  async #refuseGranted(actor: Actor, tag: string): Promise<void> {
    await requireTagChange(this.deps.users, actor, [tag]);
    if (!(await this.deps.users.grantedTags()).has(tag)) return;
    throw faultAt('/tag', `Users have roles on the servers with the tag ${tag}. Change these roles first.`);
  }

  async #servers(tag: string): Promise<readonly Server[]> {
    const { items, total } = await this.deps.servers.list({ tag }, { limit: MAX_SERVERS, offset: 0 });
    if (total <= items.length) return items;
    throw faultAt('/tag', `${total} servers have this tag; at most ${MAX_SERVERS} can be changed at once.`);
  }

  async #retag(actor: Actor, now: Instant, server: Server, tags: readonly string[]): Promise<void> {
    requireControl(actor, server, 'server.edit.tags');
    const change = describeChange({ tags: [...new Set(tags)] });
    await this.deps.servers.change(server.id, change, now, () => ({
      audit: [auditEntry(actor, now, 'server.edit', `server:${server.id}`, { change: { ...change } })],
    }));
  }

  /** Each writes tags in place of the tag. */
  async #selectorsWith(
    tag: string,
  ): Promise<readonly ((actor: Actor, now: Instant, tags: readonly string[]) => Promise<unknown>)[]> {
    const { schedules, windows, policies } = this.deps;
    const [allSchedules, allWindows, allPolicies] = await Promise.all([
      schedules.list(),
      windows.list(),
      policies.list(),
    ]);
    const replaced = ({ selector }: TagUser, tags: readonly string[]): HostSelector =>
      hostSelector({ tags: [...without(tagsOf(selector), tag), ...tags] });
    const entry = (
      actor: Actor,
      now: Instant,
      kind: string,
      { name, id }: TagUser,
      selector: HostSelector,
    ) => ({
      audit: [auditEntry(actor, now, `${kind}.edit`, `${kind}:${id}`, { name, selector })],
    });
    return [
      ...allSchedules
        .filter(selectsBy(tag))
        .map((schedule) => (actor: Actor, now: Instant, tags: readonly string[]) => {
          const selector = replaced(schedule, tags);
          return schedules.change(schedule, { selector }, now, () =>
            entry(actor, now, 'schedule', schedule, selector),
          );
        }),
      ...allWindows
        .filter(selectsBy(tag))
        .map((window) => (actor: Actor, now: Instant, tags: readonly string[]) => {
          const selector = replaced(window, tags);
          return windows.change(window.id, { ...window, selector }, () =>
            entry(actor, now, 'window', window, selector),
          );
        }),
      ...allPolicies
        .filter(selectsBy(tag))
        .map((policy) => (actor: Actor, now: Instant, tags: readonly string[]) => {
          const selector = replaced(policy, tags);
          return policies.change(policy.id, { ...policy, selector }, () =>
            entry(actor, now, 'policy', policy, selector),
          );
        }),
    ];
  }
}

interface TagUser {
  readonly id: number;
  readonly name: string;
  readonly selector: HostSelector;
}

const tagsOf = (selector: HostSelector): readonly string[] => (selector.by === 'tags' ? selector.tags : []);

const selectsBy =
  (tag: string) =>
  ({ selector }: Pick<TagUser, 'selector'>): boolean =>
    tagsOf(selector).includes(tag);

const namesOf = (all: readonly TagUser[], tag: string): readonly string[] =>
  all.filter(selectsBy(tag)).map(({ name }) => name);

const without = (tags: readonly string[], tag: string): readonly string[] =>
  tags.filter((each) => each !== tag);

function faultAt(path: string, message: string): InvalidInput {
  const problem: InputProblem = { path, message };
  return new InvalidInput([problem]);
}

const noSuchTag = (tag: string): InvalidInput =>
  faultAt('/tag', `No server has the tag "${tag.slice(0, 40)}".`);
