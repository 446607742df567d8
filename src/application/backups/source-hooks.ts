import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { type BackupHook, hookWords } from '../../domain/backups/hook.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { HOUR, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ServiceProcess } from '../ports/backups/service-process.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { DetachedCommand, DetachedRuns, RunState } from '../ports/jobs/detached-runs.ts';
import { HELD, HOLD, HOOK_EXIT, REFUSED, START_AGAIN } from './hook-scripts.ts';

export interface HookTimes {
  /** If nobody renews it for this long, the host starts everything again. */
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
/** Nothing is stopped yet, or the host starts it again. */
const BEGIN_MS = 30 * SECOND;
const LAST_WORD_MS = 5 * SECOND;

/**
 * Stops what a source names before it is backed up, and has it started again, whatever becomes of the backup: a detached run
 * on the host does both, and does the second also when it is not heard of any more.
 */
export class SourceHooks {
  readonly #deps: Deps;

  constructor(deps: {
    runs: DetachedRuns;
    clock: Clock;
    process: ServiceProcess | null;
    times: HookTimes;
  }) {
    this.#deps = deps;
  }

  of(context: JobContext): JobHooks {
    return new JobHooks(context, this.#deps);
  }
}

interface Deps {
  readonly runs: DetachedRuns;
  readonly clock: Clock;
  readonly process: ServiceProcess | null;
  readonly times: HookTimes;
}

/** The hooks of one job. */
export class JobHooks {
  readonly #context: JobContext;
  readonly #deps: Deps;
  #attempt: number;
  #held: boolean;
  #host: RemoteHost | null = null;
  #offset = 0;

  constructor(context: JobContext, deps: Deps) {
    this.#context = context;
    this.#deps = deps;
    const { attempt, held } = readMarker(context.detached.marker ?? null);
    this.#attempt = attempt;
    this.#held = held;
  }

  /** Ends what a former worker of this job has left stopped. Throws `hook_failed`. */
  async takeUp(): Promise<void> {
    if (!this.#held) return;
    this.#context.log('Another worker began this backup. What it stopped is started again first.');
    await this.#release();
  }

  /** Does the work while everything that the source names is stopped. Throws `hook_failed`, and what the work throws. */
  async around<T>(source: BackupSource, work: () => Promise<T>): Promise<T> {
    if (source.hooks.length === 0) return work();
    await this.#hold(source.hooks);
    const renewing = this.#renew();
    const end = async (): Promise<void> => {
      renewing.abort();
      const { reason } = this.#context.signal as { reason: unknown };
      // The worker that has the job now takes up the run.
      if (isDomainError(reason, 'lease_lost')) return;
      if (isDomainError(reason, 'worker_lost')) await this.#lastWord();
      else await this.#release();
    };
    let done: T;
    try {
      done = await work();
    } catch (error) {
      await end();
      throw error;
    }
    await end();
    return done;
  }

  get #runId(): string {
    return `${this.#context.detached.runId}-h${this.#attempt}`;
  }

  async #hold(hooks: readonly BackupHook[]): Promise<void> {
    const { runs, process, times } = this.#deps;
    const { signal, progress, detached } = this.#context;
    signal.throwIfAborted();
    progress('Stopping services', null);
    this.#attempt += 1;
    this.#offset = 0;
    await this.#mark(true);
    const command: DetachedCommand = {
      id: this.#runId,
      script: HOLD,
      args: [
        ...[times.leaseMs, times.maxMs, times.stopMs].map((ms) => String(Math.ceil(ms / SECOND))),
        ...(process ? [process.bootId, String(process.pid), String(process.tick)] : ['', '', '']),
        ...hooks.flatMap(({ kind, name }) => [kind, name]),
      ],
    };
    await this.#onHost((host) => runs.start(host, command), 'begin');
    const { state, lines } = await this.#follow(
      (said) => said.includes(HELD) || signal.aborted,
      times.stopMs * (hooks.length + 1) + 2 * MINUTE,
    );
    if (lines.includes(HELD)) return;
    if (state.kind === 'running') {
      await this.#release();
      signal.throwIfAborted();
      throw new DomainError('hook_failed', `Stopping ${words(hooks)} took too long. Nothing was backed up.`);
    }
    await this.#mark(false);
    const exitCode = state.kind === 'ended' ? state.exitCode : null;
    if (exitCode === HOOK_EXIT.startFailed) throw await this.#startFailure();
    if (state.kind === 'died' || state.kind === 'interrupted') await this.#startAgain();
    await this.#forget();
    await detached.flush();
    throw refusal(hooks, exitCode, lines);
  }

  /** Ends the run and follows it until all is started again. */
  async #release(): Promise<void> {
    const { runs } = this.#deps;
    this.#context.progress('Starting services again', null);
    await this.#onHost((host) => runs.askToStop(host, this.#runId));
    const { state } = await this.#follow(() => false, this.#deps.times.reachMs);
    if (state.kind === 'running') {
      throw await this.#loud('The host has not started what was stopped in time. Look at the server.');
    }
    if (state.kind === 'died' || state.kind === 'interrupted') await this.#startAgain();
    if (state.kind === 'ended' && state.exitCode === HOOK_EXIT.startFailed) throw await this.#startFailure();
    await this.#mark(false);
    await this.#forget();
    if (state.kind === 'ended' && state.exitCode === HOOK_EXIT.leaseEnded) {
      throw new DomainError(
        'hook_failed',
        'The host heard nothing for too long and started everything before the backup ended: files may have changed while they were read. Start the backup again.',
      );
    }
  }

  async #startAgain(): Promise<void> {
    const { runs } = this.#deps;
    this.#context.log(
      'What watched over the stopped services is gone: it was killed, or the host was restarted.',
    );
    const former = this.#runId;
    this.#attempt += 1;
    this.#offset = 0;
    await this.#mark(true);
    await this.#onHost((host) => runs.start(host, { id: this.#runId, script: START_AGAIN, args: [former] }));
    const { state } = await this.#follow(() => false, this.#deps.times.reachMs);
    if (state.kind !== 'ended' || state.exitCode !== HOOK_EXIT.released) throw await this.#startFailure();
    await this.#mark(false);
  }

  async #startFailure(): Promise<DomainError> {
    const result = await this.#onHost((host) => this.#deps.runs.result(host, this.#runId)).catch(() => '');
    const failed = [...new Set(result.split('\n'))].filter((line) =>
      /^(unit|container|compose) \S+$/.test(line),
    );
    await this.#mark(false);
    const named = failed.slice(0, 10).join(', ') || 'something';
    return this.#loud(
      `Stopped for the backup and not started again: ${named}. Start it on the server yourself, for example with systemctl start or docker start, and see its own log for why it did not start.`,
    );
  }

  /** An error that a cancel does not hide. */
  async #loud(detail: string): Promise<DomainError> {
    this.#context.detached.carryOn();
    return new DomainError('hook_failed', detail);
  }

  /** Reads the run's log on into the job's, until it says what is waited for or has ended. */
  async #follow(
    isEnough: (lines: readonly string[]) => boolean,
    mostMs: number,
  ): Promise<{ readonly state: RunState; readonly lines: readonly string[] }> {
    const { runs, clock } = this.#deps;
    const until = clock.now() + mostMs;
    const lines: string[] = [];
    let rest = '';
    for (;;) {
      const part = await this.#onHost((host) =>
        runs.read(host, this.#runId, this.#offset, { waitMs: WAIT_MS, signal: this.#letGo() }),
      );
      this.#offset = part.next;
      const said = `${rest}${Buffer.from(part.content).toString('utf8')}`.slice(-100_000).split('\n');
      rest = said.pop() ?? '';
      for (const line of said) {
        lines.push(line);
        if (!line.startsWith('@')) this.#context.log(line.slice(0, 400));
      }
      if (part.state.kind !== 'running' || isEnough(lines) || clock.now() > until) {
        return { state: part.state, lines };
      }
    }
  }

  #renew(): AbortController {
    const { clock, times, runs } = this.#deps;
    const over = new AbortController();
    const renew = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await clock.sleep(times.renewMs, over.signal);
        if (over.signal.aborted) return;
        await this.#try((host) => runs.renew(host, this.#runId)).catch(() => undefined);
      }
    };
    void renew();
    return over;
  }

  /** The service stops: the host goes on by itself, and the next worker hears how it went. */
  async #lastWord(): Promise<void> {
    const { clock, runs } = this.#deps;
    const late = new AbortController();
    await Promise.race([
      this.#try((host) => runs.askToStop(host, this.#runId)).catch(() => undefined),
      clock.sleep(LAST_WORD_MS, late.signal),
    ]);
    late.abort();
  }

  /** Again and again while the host is out of reach, up to a limit; then it starts everything by itself. */
  async #onHost<T>(work: (host: RemoteHost) => Promise<T>, when: 'begin' | 'go on' = 'go on'): Promise<T> {
    const { clock, times } = this.#deps;
    const until = clock.now() + (when === 'begin' ? BEGIN_MS : times.reachMs);
    for (;;) {
      try {
        return await this.#try(work);
      } catch (error) {
        this.#letGo().throwIfAborted();
        if (!isOutOfReach(error)) throw error;
        if (when === 'begin' && (clock.now() > until || this.#context.signal.aborted)) throw error;
        if (clock.now() > until) {
          throw await this.#loud(
            `The host is out of reach, and it is not known whether what was stopped runs again; the host starts it ${Math.round(times.leaseMs / MINUTE)} minutes after it last heard of the service. (${error.message})`,
          );
        }
        await clock.sleep(PAUSE_MS, this.#letGo());
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

  /** Aborted where another worker has the job, or the service stops: neither a cancel nor a limit of time does that. */
  #letGo(): AbortSignal {
    const { signal } = this.#context;
    const lost = isDomainError(signal.reason, 'lease_lost') || isDomainError(signal.reason, 'worker_lost');
    return lost ? signal : new AbortController().signal;
  }

  async #forget(): Promise<void> {
    await this.#try((host) => this.#deps.runs.forget(host, this.#runId)).catch(() => undefined);
  }

  async #mark(held: boolean): Promise<void> {
    this.#held = held;
    await this.#context.detached.mark(JSON.stringify({ attempt: this.#attempt, held }));
  }
}

const words = (hooks: readonly BackupHook[]): string => hooks.map(hookWords).join(', ');

const REASONS: Readonly<Record<string, string>> = {
  own: 'is never stopped: the service itself, the container engine or the way to the host needs it',
  missing: 'is not on the host',
  tool: 'needs systemctl, which the host does not have',
};

function refusal(
  hooks: readonly BackupHook[],
  exitCode: number | null,
  lines: readonly string[],
): DomainError {
  const said = lines.find((line) => line.startsWith(REFUSED));
  const [, kind, name, why = ''] = said?.split(' ') ?? [];
  if (exitCode === HOOK_EXIT.refused && REASONS[why]) {
    return new DomainError('hook_failed', `${kind} ${name} ${REASONS[why]}. Nothing was backed up.`);
  }
  return exitCode === HOOK_EXIT.stopFailed
    ? new DomainError(
        'hook_failed',
        `Not all of ${words(hooks)} could be stopped; it was started again, and nothing was backed up. The log names what failed.`,
      )
    : new DomainError('hook_failed', `${words(hooks)} could not be stopped. Nothing was backed up.`);
}

const isOutOfReach = (error: unknown): error is DomainError =>
  isDomainError(error, 'host_connection_lost') ||
  isDomainError(error, 'host_unreachable') ||
  isDomainError(error, 'host_timeout');

function readMarker(marker: string | null): { readonly attempt: number; readonly held: boolean } {
  const [, attempt = '0', held = 'false'] =
    /^\{"attempt":(\d{1,9}),"held":(true|false)\}$/.exec(marker ?? '') ?? [];
  return { attempt: Number(attempt), held: held === 'true' };
}
