import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { HOUR, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { DetachedCommand, DetachedRuns, RunState } from '../ports/jobs/detached-runs.ts';

export interface HookTimes {
  /** If the lease is not renewed for this long, the host starts everything again. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The host starts everything again after this, whatever is renewed. */
  readonly maxMs: number;
  /** How long one stop may take. */
  readonly stopMs: number;
  /** How long a host that is out of reach is tried. */
  readonly reachMs: number;
}

export const HOOK_TIMES: HookTimes = {
  leaseMs: 10 * MINUTE,
  renewMs: MINUTE,
  maxMs: 24 * HOUR,
  stopMs: 2 * MINUTE,
  reachMs: 15 * MINUTE,
};

const WAIT_MS = 5 * SECOND;
const PAUSE_MS = 2 * SECOND;
/** Before anything is stopped there is no reason to wait longer. */
const START_MS = 30 * SECOND;
const FAREWELL_MS = 5 * SECOND;

interface Deps {
  readonly runs: DetachedRuns;
  readonly clock: Clock;
  readonly times: HookTimes;
}

/** How a run was when it was last read, and the lines that it logged meanwhile. */
interface FollowedRun {
  readonly state: RunState;
  readonly lines: readonly string[];
}

/** The detached runs of one job on its host. Each call is repeated while the host is out of reach, up to a limit. */
export class HookRuns {
  readonly #context: JobContext;
  readonly #deps: Deps;
  #host: RemoteHost | null = null;
  #offset = 0;

  constructor(context: JobContext, deps: Deps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** `isFirst`: nothing is stopped yet, so that a host out of reach, or a cancel, ends it soon. */
  async start(command: DetachedCommand, { isFirst }: { isFirst: boolean }): Promise<void> {
    this.#offset = 0;
    await this.#onHost((host) => this.#deps.runs.start(host, command), isFirst);
  }

  async askToStop(id: string): Promise<void> {
    await this.#onHost((host) => this.#deps.runs.askToStop(host, id));
  }

  /**
   * Asks once and briefly: the service is stopping, the host needs no further request, and the next worker reads the
   * result.
   */
  async askToStopOnce(id: string): Promise<void> {
    const { clock, runs } = this.#deps;
    const late = new AbortController();
    await Promise.race([
      this.#try((host) => runs.askToStop(host, id)).catch(() => undefined),
      clock.sleep(FAREWELL_MS, late.signal),
    ]);
    late.abort();
  }

  /** Empty if it cannot be read. */
  async result(id: string): Promise<string> {
    return this.#onHost((host) => this.#deps.runs.result(host, id)).catch(() => '');
  }

  async forget(id: string): Promise<void> {
    await this.#try((host) => this.#deps.runs.forget(host, id)).catch(() => undefined);
  }

  /** Copies the run's log to the job's until `isEnough`, or until the run or the time is over. */
  async follow(
    id: string,
    maxMs: number,
    isEnough: (lines: readonly string[]) => boolean = () => false,
  ): Promise<FollowedRun> {
    const { runs, clock } = this.#deps;
    const until = clock.now() + maxMs;
    const lines: string[] = [];
    let rest = '';
    for (;;) {
      const part = await this.#onHost((host) =>
        runs.read(host, id, this.#offset, { waitMs: WAIT_MS, signal: this.#handover() }),
      );
      this.#offset = part.next;
      const read = `${rest}${Buffer.from(part.content).toString('utf8')}`.slice(-100_000).split('\n');
      rest = read.pop() ?? '';
      for (const line of read) {
        lines.push(line);
        if (!line.startsWith('@')) this.#context.log(line.slice(0, 400));
      }
      if (part.state.kind !== 'running' || isEnough(lines) || clock.now() > until) {
        return { state: part.state, lines };
      }
    }
  }

  /** Renews the run's lease until the returned controller is aborted. */
  renew(id: string): AbortController {
    const { clock, times, runs } = this.#deps;
    const over = new AbortController();
    const renew = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await clock.sleep(times.renewMs, over.signal);
        if (over.signal.aborted) return;
        await this.#try((host) => runs.renew(host, id)).catch(() => undefined);
      }
    };
    void renew();
    return over;
  }

  /** An error that a cancel of the job does not hide. */
  failure(detail: string): DomainError {
    this.#context.detached.carryOn();
    return new DomainError('hook_failed', detail);
  }

  async #onHost<T>(work: (host: RemoteHost) => Promise<T>, isFirst = false): Promise<T> {
    const { clock, times } = this.#deps;
    const until = clock.now() + (isFirst ? START_MS : times.reachMs);
    for (;;) {
      try {
        return await this.#try(work);
      } catch (error) {
        this.#handover().throwIfAborted();
        if (!isOutOfReach(error)) throw error;
        if (isFirst && (clock.now() > until || this.#context.signal.aborted)) throw error;
        if (clock.now() > until) {
          throw this.failure(
            `The host is unreachable, so Drover cannot tell whether the stopped services run again; the host starts them ${Math.round(times.leaseMs / MINUTE)} minutes after its last contact with Drover. (${error.message})`,
          );
        }
        await clock.sleep(PAUSE_MS, this.#handover());
      }
    }
  }

  async #try<T>(work: (host: RemoteHost) => Promise<T>): Promise<T> {
    try {
      this.#host ??= await this.#context.openHost('commands', new AbortController().signal);
      return await work(this.#host);
    } catch (error) {
      if (isOutOfReach(error)) {
        this.#host?.release();
        this.#host = null;
      }
      throw error;
    }
  }

  /** Aborted when another worker has the job, or the service stops; a cancel or a time limit does not abort it. */
  #handover(): AbortSignal {
    const { signal } = this.#context;
    const lost = isDomainError(signal.reason, 'lease_lost') || isDomainError(signal.reason, 'worker_lost');
    return lost ? signal : new AbortController().signal;
  }
}

const isOutOfReach = (error: unknown): error is DomainError =>
  isDomainError(error, 'host_connection_lost') ||
  isDomainError(error, 'host_unreachable') ||
  isDomainError(error, 'host_timeout');
