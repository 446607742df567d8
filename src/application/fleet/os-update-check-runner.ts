import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import type { Inventory, PendingUpdate } from '../../domain/fleet/inventory.ts';
import { updateFacts, upgradable } from '../../domain/fleet/pending-updates.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { HostQuestion } from '../ports/fleet/host-question.ts';
import type { UpdateCheck } from '../ports/fleet/package-manager.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/** Refreshes a host's package lists and reports what an upgrade would change. */
export class OsUpdateCheckRunner
  extends UseCase<'packageManagers' | 'clock', { readonly refreshInventory: RefreshInventory }>
  implements JobRunner
{
  readonly types = ['os_update_check'] as const;
  readonly timeLimitMs = 30 * MINUTE;
  /** According to the host's current lists: a dry run refreshes nothing. Its findings are stored. */
  async plan(context: JobContext): Promise<RunResult> {
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const inventory = await this.deps.refreshInventory.gather(context.server.id, host, context.signal);
    await this.deps.refreshInventory.save(context.server, inventory);
    const updates = inventory.updates ?? [];
    return {
      summary: `Dry run: ${updatesText(updates)} according to the host's current package lists, which were not refreshed.`,
      result: { dry_run: true, ...updatesResult(updates), reboot_pending: inventory.rebootPending },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const { inventory, checked } = await this.#lookAndCheck(context);
    for (const note of checked.notes) context.log(`Note: ${note}`);
    for (const update of checked.updates) context.log(describe(update));
    const { updates, packages, rebootPending } = checked;
    await this.deps.refreshInventory.save(context.server, {
      ...inventory,
      ...packages,
      updates,
      rebootPending,
    });
    const reboot = rebootPending ? ' A reboot is pending.' : '';
    return {
      summary: `${updatesText(updates)}.${reboot}`,
      result: {
        dry_run: false,
        ...updatesResult(updates),
        reboot_pending: rebootPending,
        notes: checked.notes,
      },
      facts: { ...updateFacts(updates), rebootPending, lastOsCheckAt: this.deps.clock.now() },
    };
  }

  /** Uses one command if the host's family is known, since each command counts over many hosts. */
  async #lookAndCheck(context: JobContext): Promise<UpdateCheckResult> {
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const former = await this.deps.refreshInventory.former(context.server.id);
    const expected = former?.osFamily ?? null;
    const known = expected === null ? null : this.deps.packageManagers.find(expected);
    if (former && known) {
      let found: Inventory | null = null;
      const question = this.deps.refreshInventory.question(former);
      const first: HostQuestion<void> = {
        ...question,
        read: (said) => {
          found = question.read(said);
          if (found.osFamily !== known.family) throw new AnotherFamily();
          context.progress('Refreshing the package lists', null);
        },
      };
      try {
        const checked = await known.check(host, {
          signal: context.signal,
          onLine: context.log,
          former,
          first,
        });
        if (found) return { inventory: found, checked };
      } catch (error) {
        if (!(error instanceof AnotherFamily)) throw error;
      }
    }
    return this.#lookThenCheck(context, host, former);
  }

  async #lookThenCheck(
    context: JobContext,
    host: RemoteHost,
    former: Inventory | null,
  ): Promise<UpdateCheckResult> {
    const inventory = await this.deps.refreshInventory.gather(context.server.id, host, context.signal, {
      former,
      checkFollows: true,
    });
    const manager = inventory.osFamily === null ? null : this.deps.packageManagers.find(inventory.osFamily);
    if (!manager) {
      throw new DomainError(
        'host_unsupported',
        `Update checks do not support ${inventory.osPretty ?? inventory.osId ?? 'this system'} yet; supported are: ${this.deps.packageManagers.families.join(', ')}.`,
      );
    }
    context.progress('Refreshing the package lists', null);
    const checked = await manager.check(host, { signal: context.signal, onLine: context.log, former });
    return { inventory, checked };
  }
}

interface UpdateCheckResult {
  readonly inventory: Inventory;
  readonly checked: UpdateCheck;
}

/** The host is not of the family that it was of. */
class AnotherFamily extends Error {}

function updatesText(updates: readonly PendingUpdate[]): string {
  const { osUpdatesCount, securityUpdatesCount } = updateFacts(updates);
  const held = updates.length - (osUpdatesCount ?? 0);
  const holding = held > 0 ? `, ${held} held back` : '';
  return `${count(osUpdatesCount ?? 0, 'pending update')}, ${count(securityUpdatesCount ?? 0, 'security fix', 'security fixes')}${holding}`;
}

const describe = (update: PendingUpdate): string =>
  `${update.name} ${update.from ?? '(new)'} -> ${update.to}${update.security ? ' [security]' : ''}${update.held ? ' [held]' : ''}`;

/** A result stays readable: of more updates it names this many and counts the rest. */
const MAX_NAMED = 500;

const updatesResult = (updates: readonly PendingUpdate[]): object => ({
  updates_count: upgradable(updates).length,
  security_count: upgradable(updates).filter((update) => update.security).length,
  held_count: updates.filter((update) => update.held).length,
  updates: updates.slice(0, MAX_NAMED),
});
