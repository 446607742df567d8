import { DomainError, isDomainError } from '../../domain/errors.ts';
import { MINUTE, SECOND } from '../../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';
import type { RefreshInventory } from '../refresh-inventory.ts';
import type { JobContext, JobRunner, RunResult } from './runner.ts';

/** How long a host may take until it answers again. */
const BACK_WITHIN_MS = 15 * MINUTE;
const LOOK_EVERY_MS = 3 * SECOND;
const ANSWER_WITHIN_MS = 10 * SECOND;

const BOOT_ID = 'cat /proc/sys/kernel/random/boot_id';

/** A second later and in a session of its own, so that the answer is out before the network goes. */
const REBOOT = `PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
[ "$(id -u)" = 0 ] || exit 70
command -v shutdown >/dev/null || command -v reboot >/dev/null || exit 71
setsid sh -c 'sleep 1; shutdown -r now || reboot' </dev/null >/dev/null 2>&1 &
exit 0`;

/** Restarts a host and waits until it has started anew, which another boot id tells. */
export class HostRebootRunner implements JobRunner {
  readonly types = ['host_reboot'] as const;
  readonly timeLimitMs = 30 * MINUTE;
  readonly #inventory: RefreshInventory;
  readonly #clock: Clock;

  constructor(deps: { inventory: RefreshInventory; clock: Clock }) {
    this.#inventory = deps.inventory;
    this.#clock = deps.clock;
  }

  async plan(context: JobContext): Promise<RunResult> {
    refuseOwnMachine(context);
    context.progress('Reading the host', null);
    const host = await context.openHost();
    const { rebootPending, uptimeSeconds } = await this.#inventory.gather(host, context.signal);
    const days = Math.floor(uptimeSeconds / 86_400);
    return {
      summary: `Dry run: the host would be restarted; it has been up for ${days} day(s), and ${rebootPending ? 'wants' : 'does not want'} a reboot. Nothing was changed.`,
      result: { dry_run: true, reboot_pending: rebootPending, uptime_seconds: uptimeSeconds },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    refuseOwnMachine(context);
    const start = this.#clock.now();
    const former = context.detached.marker ?? (await this.#bootId(context));
    if (context.detached.marker === null) await context.detached.mark(former);
    else context.log('Taking up the reboot that another worker had begun.');
    // Whoever takes this up asks again: a host that has started anew is told by its boot id, and not asked.
    if ((await this.#bootIdOrNull(context)) === former) await this.#askForReboot(context);
    const bootId = await this.#waitForOther(context, former);
    const tookSeconds = Math.round((this.#clock.now() - start) / SECOND);
    context.log(`The host is back after ${tookSeconds} s.`);
    context.progress('Reading the host', null);
    const inventory = await this.#inventory.gather(await context.openHost(), context.signal);
    await this.#inventory.save(context.server.id, inventory);
    const { rebootPending, kernel } = inventory;
    return {
      summary: `Restarted in ${tookSeconds} s.${rebootPending ? ' It still wants a reboot.' : ''}`,
      result: {
        dry_run: false,
        former_boot_id: former,
        boot_id: bootId,
        took_seconds: tookSeconds,
        kernel,
        reboot_pending: rebootPending,
      },
      facts: { rebootPending },
    };
  }

  async #askForReboot(context: JobContext): Promise<void> {
    context.progress('Restarting the host', null);
    const host = await context.openHost();
    const { exitCode } = await host.run({ script: REBOOT, asRoot: true }, { signal: context.signal });
    if (exitCode === 70) {
      throw new DomainError(
        'host_command_failed',
        'Only root may restart the host: log in as root, or let the server use sudo (become "sudo").',
      );
    }
    if (exitCode === 71) {
      throw new DomainError('host_tool_missing', 'The host has neither shutdown nor reboot.');
    }
    context.log('The host was asked to restart.');
  }

  async #waitForOther(context: JobContext, former: string): Promise<string> {
    const until = this.#clock.now() + BACK_WITHIN_MS;
    let seen: string | null = former;
    while (this.#clock.now() < until) {
      await this.#clock.sleep(LOOK_EVERY_MS, context.signal);
      context.signal.throwIfAborted();
      const now = await this.#bootIdOrNull(context);
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
        ? `The host was asked to restart and has not come back within ${minutes} min; look at its console.`
        : `The host was asked to restart and still runs as before after ${minutes} min; look what keeps it from shutting down.`,
    );
  }

  /** `null` while it does not answer. */
  async #bootIdOrNull(context: JobContext): Promise<string | null> {
    try {
      return await this.#bootId(context);
    } catch (error) {
      if (OUT_OF_REACH.some((code) => isDomainError(error, code))) {
        context.signal.throwIfAborted();
        return null;
      }
      throw error;
    }
  }

  async #bootId(context: JobContext): Promise<string> {
    const host = await context.openHost();
    try {
      const limits = { signal: context.signal, timeoutMs: ANSWER_WITHIN_MS };
      const { stdout } = await host.run({ script: BOOT_ID }, limits);
      const bootId = stdout.toString('latin1').trim();
      if (/^[0-9a-f-]{36}$/.test(bootId)) return bootId;
    } finally {
      host.release();
    }
    throw new DomainError(
      'host_unsupported',
      'The host does not tell its boot id (/proc/sys/kernel/random/boot_id), so nobody could say whether it has restarted.',
    );
  }
}

const OUT_OF_REACH = ['host_unreachable', 'host_connection_lost', 'host_timeout'] as const;

function refuseOwnMachine({ server }: JobContext): void {
  if (server.address.connection !== 'local') return;
  throw new DomainError(
    'host_unsupported',
    'This is the machine that the service itself runs on, and it cannot wait for its own restart. Restart it by hand.',
  );
}
