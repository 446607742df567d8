import { count } from '../../domain/base/count.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { HOUR, type Instant, MINUTE, SECOND, toMinute } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import { isCancelled, unlessCancelled } from '../jobs/detached-work.ts';
import { drifted, driftFrom, type PlanKind, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import { ANNOUNCE, BOOT_ID, CAN_REBOOT, REBOOT, refuseByCode } from './reboot-scripts.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/** How long a host may take until it answers again. */
const BACK_WITHIN_MS = 15 * MINUTE;
const LOOK_EVERY_MS = 3 * SECOND;
const ANSWER_WITHIN_MS = 10 * SECOND;
const TELL_EVERY_MS = 10 * SECOND;
/** A reboot that could not start in time is not made up for later, when no one expects it. */
const LATE_MS = 30 * MINUTE;

/** A worker's record for the next one that takes the reboot over. */
interface RebootStart {
  readonly former: string;
  /** `null`: it is not known, and the host was most likely asked. */
  readonly dueAt: Instant | null;
}

/** The one thing that a reboot changes: which boot it ends. */
interface BootRecord {
  readonly boot_id: string;
}

/** Reboots a host, after its grace period, and waits until it is up again, which a new boot id shows. */
export class HostRebootRunner
  extends UseCase<'jobs' | 'digest' | 'clock', { readonly refreshInventory: RefreshInventory }>
  implements JobRunner
{
  readonly types = ['host_reboot'] as const;
  readonly timeLimitMs = 2 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    refuseOwnMachine(context);
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const { rebootPending, uptimeSeconds } = await this.deps.refreshInventory.gather(
      context.server.id,
      host,
      context.signal,
    );
    await this.#refuseUnable(context);
    const ending: BootRecord = { boot_id: await this.#bootId(context, context.signal) };
    const days = Math.floor(uptimeSeconds / 86_400);
    const grace = graceOf(context);
    const after = grace > 0 ? ` after ${grace} s` : '';
    return {
      summary: `Dry run: the host would be restarted${after}; it has been up for ${count(days, 'day')}, and ${rebootPending ? 'a reboot is pending' : 'no reboot is pending'}. Nothing was changed.`,
      result: {
        dry_run: true,
        ...planResult(context.job, [ENDING_PLAN.line(ending)], this.deps.clock.now(), this.deps.digest),
        changes: [ending],
        grace_seconds: grace,
        reboot_pending: rebootPending,
        uptime_seconds: uptimeSeconds,
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    refuseOwnMachine(context);
    const known = beginningOf(context.detached.marker);
    if (known !== null) context.log('Continuing the reboot that another worker started.');
    else {
      const drift = await this.#driftOf(context);
      if (drift) return drift;
    }
    const begun = known ?? (await this.#begin(context));
    // A worker that takes this over asks again: a rebooted host is recognized by its boot id.
    const now = await this.#bootIdOrNull(context, context.signal);
    if (now === null || now === begun.former) await this.#waitOut(context, begun);
    const asked = this.deps.clock.now();
    if ((await this.#bootIdOrNull(context, context.signal)) === begun.former) {
      await this.#askForReboot(context, begun.former);
    }
    const letGo = unlessCancelled(context.signal);
    const bootId = await this.#waitForOther(context, begun.former, letGo);
    const tookSeconds = Math.round((this.deps.clock.now() - asked) / SECOND);
    context.log(`The host is back after ${tookSeconds} s.`);
    context.progress('Reading the host', null);
    const host = await context.openHost('commands', letGo);
    const inventory = await this.deps.refreshInventory.gather(context.server.id, host, letGo);
    await this.deps.refreshInventory.save(context.server, inventory);
    const { rebootPending, kernel } = inventory;
    return {
      summary: `Restarted in ${tookSeconds} s.${rebootPending ? ' A reboot is still pending.' : ''}`,
      result: {
        dry_run: false,
        former_boot_id: begun.former,
        boot_id: bootId,
        took_seconds: tookSeconds,
        kernel,
        reboot_pending: rebootPending,
      },
      facts: { rebootPending },
    };
  }

  async #driftOf(context: JobContext): Promise<RunResult | null> {
    const { planId } = context.job.params;
    if (planId === undefined) return null;
    const planned = plannedChanges(await this.deps.jobs.find(planId), ENDING_PLAN);
    const now = { boot_id: await this.#bootId(context, context.signal) };
    const drift = driftFrom(planned, [now], ENDING_PLAN);
    return drift && drifted(planId, drift);
  }

  async #begin(context: JobContext): Promise<RebootStart> {
    const grace = graceOf(context);
    const former = await this.#bootId(context, context.signal);
    await this.#refuseUnable(context);
    const begun = { former, dueAt: this.deps.clock.now() + grace * SECOND } satisfies RebootStart;
    await context.detached.mark(JSON.stringify(begun));
    if (grace > 0) {
      context.log(`The host restarts at ${toMinute(begun.dueAt)}; cancel the job before that to keep it up.`);
      await this.#announce(context, `This host restarts in ${grace} seconds.`, context.signal);
    }
    return begun;
  }

  /** Until then the job can be cancelled, and all is as it was. */
  async #waitOut(context: JobContext, { dueAt }: RebootStart): Promise<void> {
    if (dueAt === null) return;
    if (this.deps.clock.now() > dueAt + LATE_MS) {
      throw new DomainError(
        'work_not_started',
        'Drover was not running at the time of this restart, so the host was not restarted. Start the job again.',
      );
    }
    while (this.deps.clock.now() < dueAt) {
      const left = dueAt - this.deps.clock.now();
      context.progress(`Restarts in ${Math.ceil(left / SECOND)} s`, null, { phase: 'Grace period' });
      await this.deps.clock.sleep(Math.min(left, TELL_EVERY_MS), context.signal);
      if (!context.signal.aborted) continue;
      if (isCancelled(context.signal)) {
        context.log('Cancelled before the restart: the host keeps running.');
        await this.#announce(
          context,
          'The restart of this host was cancelled.',
          new AbortController().signal,
        );
      }
      throw context.signal.reason;
    }
  }

  /** Notifies users who are signed in on the host. A failure to notify stops nothing. */
  async #announce(context: JobContext, words: string, signal: AbortSignal): Promise<void> {
    try {
      const host = await context.openHost('commands', signal);
      await host.run(
        { script: ANNOUNCE, args: [words], asRoot: true },
        { signal, timeoutMs: ANSWER_WITHIN_MS },
      );
    } catch (error) {
      if (!isDomainError(error)) throw error;
      context.log(`Could not notify users on the host: ${error.message}`);
    }
  }

  /** Runs before the grace period and any notification: a host that cannot be rebooted is left alone. */
  async #refuseUnable(context: JobContext): Promise<void> {
    const host = await context.openHost();
    const { exitCode } = await host.run({ script: CAN_REBOOT, asRoot: true }, { signal: context.signal });
    refuseByCode(exitCode);
  }

  async #askForReboot(context: JobContext, former: string): Promise<void> {
    context.signal.throwIfAborted();
    context.progress('Restarting the host', null);
    const host = await context.openHost();
    const ask = { script: REBOOT, args: [former], asRoot: true };
    const { exitCode } = await host.run(ask, { signal: context.signal });
    refuseByCode(exitCode);
    context.log('The host was asked to restart.');
  }

  async #waitForOther(context: JobContext, former: string, letGo: AbortSignal): Promise<string> {
    const until = this.deps.clock.now() + BACK_WITHIN_MS;
    let seen: string | null = former;
    let cancelIsTold = false;
    while (this.deps.clock.now() < until) {
      await this.deps.clock.sleep(LOOK_EVERY_MS, letGo);
      letGo.throwIfAborted();
      if (isCancelled(context.signal) && !cancelIsTold) {
        cancelIsTold = true;
        context.detached.carryOn();
        context.log('Cancelled too late: the host is already restarting. Waiting for it to come back.');
      }
      const now = await this.#bootIdOrNull(context, letGo);
      if (now !== null && now !== former) return now;
      if (now === null && seen !== null) {
        context.log('The host is gone; waiting for it to come back.');
        context.progress('Waiting for the host to come back', null);
      }
      seen = now;
    }
    const minutes = BACK_WITHIN_MS / MINUTE;
    throw new DomainError(
      'host_timeout',
      seen === null
        ? `The host did not come back within ${minutes} min of the restart. Check its console.`
        : `The host has not restarted ${minutes} min after the request. Check what keeps it from shutting down.`,
    );
  }

  /** `null` while it does not answer. */
  async #bootIdOrNull(context: JobContext, signal: AbortSignal): Promise<string | null> {
    try {
      return await this.#bootId(context, signal);
    } catch (error) {
      if (OUT_OF_REACH.some((code) => isDomainError(error, code))) {
        signal.throwIfAborted();
        return null;
      }
      throw error;
    }
  }

  async #bootId(context: JobContext, signal: AbortSignal): Promise<string> {
    const host: RemoteHost = await context.openHost('commands', signal);
    try {
      const { stdout } = await host.run({ script: BOOT_ID }, { signal, timeoutMs: ANSWER_WITHIN_MS });
      const bootId = stdout.toString('latin1').trim();
      if (IS_BOOT_ID.test(bootId)) return bootId;
    } finally {
      host.release();
    }
    throw new DomainError(
      'host_unsupported',
      'The host does not report its boot ID (/proc/sys/kernel/random/boot_id), so Drover could not verify the restart.',
    );
  }
}

const OUT_OF_REACH = ['host_unreachable', 'host_connection_lost', 'host_timeout'] as const;
const IS_BOOT_ID = /^[0-9a-f-]{36}$/;

const graceOf = (context: JobContext): number => context.job.params.graceSeconds ?? 0;
const isEnding = (value: unknown): value is BootRecord =>
  typeof value === 'object' && value !== null && typeof (value as Partial<BootRecord>).boot_id === 'string';

const ENDING_PLAN: PlanKind<BootRecord> = {
  line: ({ boot_id }) => `restart ${boot_id}`,
  describe: ({ boot_id }) => `the end of boot ${boot_id}`,
  isChange: isEnding,
};

/** An older version stored only the boot id, without a grace period. */
function beginningOf(marker: string | null): RebootStart | null {
  if (marker === null) return null;
  if (IS_BOOT_ID.test(marker)) return { former: marker, dueAt: null };
  return JSON.parse(marker) as RebootStart;
}

function refuseOwnMachine({ server }: JobContext): void {
  if (server.address.connection !== 'local') return;
  throw new DomainError(
    'host_unsupported',
    'Drover runs on this machine and cannot wait for its own restart. Restart the machine yourself.',
  );
}
