import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { type BackupHook, hookWords } from '../../domain/backups/hook.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ServiceProcess } from '../ports/backups/service-process.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { DetachedRuns } from '../ports/jobs/detached-runs.ts';
import { HookRuns, type HookTimes } from './hook-runs.ts';
import { CHECK, HELD, HOLD, HOOK_EXIT, REFUSED, START_AGAIN } from './hook-scripts.ts';

interface Deps {
  readonly runs: DetachedRuns;
  readonly clock: Clock;
  readonly process: ServiceProcess | null;
  readonly times: HookTimes;
}

/**
 * Stops a source's units before its backup and starts them again, whatever happens to the backup. A detached run on
 * the host does both, and starts them also if it loses contact with the service.
 */
export class SourceHooks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  of(context: JobContext): JobHooks {
    return new JobHooks(context, this.#deps);
  }

  /** What each hook would find on the host, in their order; changes nothing there. */
  async check(
    host: RemoteHost,
    hooks: readonly BackupHook[],
    signal: AbortSignal,
  ): Promise<readonly HookState[]> {
    if (hooks.length === 0) return [];
    const args = [
      ...processArguments(this.#deps.process),
      ...hooks.flatMap(({ kind, name }) => [kind, name]),
    ];
    const { stdout } = await host.run({ script: CHECK, args, asRoot: true }, { signal });
    const lines = stdout.toString().split('\n');
    return hooks.map((hook) => {
      const words = `${hook.kind} ${hook.name}`;
      if (lines.includes(`running ${words}`)) return { isRunning: true, problem: null };
      if (lines.includes(`stopped ${words}`)) return { isRunning: false, problem: null };
      const why = lines
        .find((line) => line.startsWith(`${REFUSED}${words} `))
        ?.slice(`${REFUSED}${words} `.length);
      const reason = REASONS[why ?? ''] ?? 'could not be checked';
      return { isRunning: false, problem: new DomainError('hook_failed', `${words} ${reason}.`) };
    });
  }
}

/** What a hook would find. */
export interface HookState {
  readonly isRunning: boolean;
  /** Why a backup would fail; `null` if it would not. */
  readonly problem: DomainError | null;
}

const processArguments = (process: ServiceProcess | null): readonly string[] =>
  process ? [process.bootId, String(process.pid), String(process.tick)] : ['', '', ''];

/** The hooks of one job. */
export class JobHooks {
  readonly #context: JobContext;
  readonly #deps: Deps;
  readonly #runs: HookRuns;
  #attempt: number;
  #held: boolean;

  constructor(context: JobContext, deps: Deps) {
    this.#context = context;
    this.#deps = deps;
    this.#runs = new HookRuns(context, deps);
    const { attempt, held } = readMarker(context.detached.marker ?? null);
    this.#attempt = attempt;
    this.#held = held;
  }

  /** Starts what a previous worker of this job left stopped. Throws `hook_failed`. */
  async resume(): Promise<void> {
    if (!this.#held) return;
    this.#context.log('Another worker started this backup. Starting again what it stopped.');
    await this.#release();
  }

  /** Runs the work while the source's units are stopped. Throws `hook_failed`, and what the work throws. */
  async around<T>(source: BackupSource, work: () => Promise<T>): Promise<T> {
    if (source.hooks.length === 0) return work();
    await this.#hold(source.hooks);
    const renewing = this.#runs.renew(this.#runId);
    const end = async (): Promise<void> => {
      renewing.abort();
      const { reason } = this.#context.signal as { reason: unknown };
      // The worker that has the job now resumes the run.
      if (isDomainError(reason, 'lease_lost')) return;
      if (isDomainError(reason, 'worker_lost')) await this.#runs.askToStopOnce(this.#runId);
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
    const { process, times } = this.#deps;
    const { signal, progress, detached } = this.#context;
    signal.throwIfAborted();
    progress('Stopping services', null);
    this.#attempt += 1;
    await this.#mark(true);
    const args = [
      ...[times.leaseMs, times.maxMs, times.stopMs].map((ms) => String(Math.ceil(ms / SECOND))),
      ...processArguments(process),
      ...hooks.flatMap(({ kind, name }) => [kind, name]),
    ];
    await this.#runs.start({ id: this.#runId, script: HOLD, args }, { isFirst: true });
    const { state, lines } = await this.#runs.follow(
      this.#runId,
      times.stopMs * (hooks.length + 1) + 2 * MINUTE,
      (logged) => logged.includes(HELD) || signal.aborted,
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
    await this.#runs.forget(this.#runId);
    await detached.flush();
    throw refusal(hooks, exitCode, lines);
  }

  /** Ends the run and follows it until everything is started again. */
  async #release(): Promise<void> {
    this.#context.progress('Starting services again', null);
    await this.#runs.askToStop(this.#runId);
    const { state } = await this.#runs.follow(this.#runId, this.#deps.times.reachMs);
    if (state.kind === 'running') {
      throw this.#runs.failure('The host did not start the stopped services in time. Check the server.');
    }
    if (state.kind === 'died' || state.kind === 'interrupted') await this.#startAgain();
    if (state.kind === 'ended' && state.exitCode === HOOK_EXIT.startFailed) throw await this.#startFailure();
    await this.#mark(false);
    await this.#runs.forget(this.#runId);
    if (state.kind === 'ended' && state.exitCode === HOOK_EXIT.leaseEnded) {
      throw new DomainError(
        'hook_failed',
        'The host lost contact with Drover and started everything before the backup ended: files may have changed while they were read. Start the backup again.',
      );
    }
  }

  async #startAgain(): Promise<void> {
    this.#context.log(
      'The process that watches the stopped services is gone: it was killed, or the host was restarted.',
    );
    const previous = this.#runId;
    this.#attempt += 1;
    await this.#mark(true);
    await this.#runs.start({ id: this.#runId, script: START_AGAIN, args: [previous] }, { isFirst: false });
    const { state } = await this.#runs.follow(this.#runId, this.#deps.times.reachMs);
    if (state.kind !== 'ended' || state.exitCode !== HOOK_EXIT.released) throw await this.#startFailure();
    await this.#mark(false);
  }

  async #startFailure(): Promise<DomainError> {
    const result = await this.#runs.result(this.#runId);
    const failed = [...new Set(result.split('\n'))].filter((line) =>
      /^(unit|container|compose) \S+$/.test(line),
    );
    await this.#mark(false);
    const named = failed.slice(0, 10).join(', ') || 'something';
    return this.#runs.failure(
      `Stopped for the backup and not started again: ${named}. Start it on the server yourself, for example with systemctl start or docker start, and see its own log for why it did not start.`,
    );
  }

  async #mark(held: boolean): Promise<void> {
    this.#held = held;
    await this.#context.detached.mark(JSON.stringify({ attempt: this.#attempt, held }));
  }
}

const words = (hooks: readonly BackupHook[]): string => hooks.map(hookWords).join(', ');

const REASONS: Readonly<Record<string, string>> = {
  own: 'cannot be stopped: Drover, the container engine or the connection to the server needs it',
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

function readMarker(marker: string | null): { readonly attempt: number; readonly held: boolean } {
  const [, attempt = '0', held = 'false'] =
    /^\{"attempt":(\d{1,9}),"held":(true|false)\}$/.exec(marker ?? '') ?? [];
  return { attempt: Number(attempt), held: held === 'true' };
}
