import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { SECOND } from '../../domain/base/instant.ts';
import type { StepReader } from '../../domain/jobs/phases.ts';
import { UseCase } from '../base/use-case.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { RunPart } from '../ports/jobs/detached-runs.ts';
import type { JobContext } from './runner.ts';

/**
 * Aborted if the job has to stop, except by a cancellation: for work that continues, or has to be followed, despite
 * it.
 */
export function unlessCancelled(signal: AbortSignal): AbortSignal {
  const letGo = new AbortController();
  const look = (): void => {
    if (!isCancelled(signal)) letGo.abort(signal.reason);
  };
  if (signal.aborted) look();
  else signal.addEventListener('abort', look, { once: true });
  return letGo.signal;
}

export const isCancelled = (signal: AbortSignal): boolean => isDomainError(signal.reason, 'job_cancelled');

/** How long a read waits on the host for news. */
const WAIT_MS = 5 * SECOND;
const FIRST_PAUSE_MS = SECOND;
const MAX_PAUSE_MS = 15 * SECOND;
/** A longer line is broken up, so that progress within it can be recorded. */
const MAX_LINE_LENGTH = 4 * 1024;

export interface DetachedOrder {
  /** A constant POSIX sh script. */
  readonly script: string;
  readonly args: readonly string[];
  /** Whether the work may be ended half-way. A package transaction may not: a cancelled job follows it to its end. */
  readonly mayBeCut: boolean;
  /** The id of the job's record about this work, for a worker that takes it over; stored with the marker. */
  readonly about?: number | undefined;
  /** The script checks for a stop request, and stops while that is harmless. */
  readonly stopsWhereItCan?: boolean;
  /** Recognises steps of the work in its output. */
  readonly steps?: StepReader | undefined;
}

/**
 * Runs a job's work detached on the host and follows it: across lost connections, and across the death of the worker,
 * since the next worker continues at the byte after the last logged one. The run is started once, whichever worker
 * asks.
 */
export class DetachedWork extends UseCase<'runs' | 'clock'> {
  /**
   * Resolves with the script's exit code and its result file. Throws the reason of the job's signal if the job has to
   * stop following (the work then continues), `work_died`, `work_interrupted` (the host rebooted) and
   * `work_not_started`.
   */
  async execute(
    context: JobContext,
    order: DetachedOrder,
  ): Promise<{ readonly exitCode: number; readonly result: string }> {
    const { detached } = context;
    const { offset, about = order.about } = readMarker(detached.marker);
    const following = new RunFollower(context, { ...order, about }, offset ?? 0);
    const run = { id: detached.runId, script: order.script, args: order.args };
    if (detached.marker === null) await detached.mark(markerOf({ about }));
    else context.log('Resuming the work that continues on the host.');
    // Started work is never started again, not even if its directory on the host is missing.
    if (offset === undefined) {
      await following.onHost((host) => this.deps.runs.start(host, run), this.deps.clock);
      await detached.mark(markerOf({ offset: 0, about }));
    }
    for (;;) {
      const part = await following.onHost(
        (host) =>
          this.deps.runs.read(host, run.id, following.offset, {
            waitMs: WAIT_MS,
            signal: following.detachSignal,
          }),
        this.deps.clock,
      );
      following.take(part);
      await detached.flush();
      if (part.state.kind === 'ended') {
        following.finish();
        await detached.flush();
        const { exitCode } = part.state;
        return {
          exitCode,
          result: await following.onHost((host) => this.deps.runs.result(host, run.id), this.deps.clock),
        };
      }
      if (part.state.kind !== 'running') throw lost(part.state.kind);
      await this.#obeyCancel(following, run.id);
    }
  }

  /** Removes the run's files from the host: after the job's result is stored. */
  async cleanUp(context: JobContext): Promise<void> {
    // Also of a job that was cancelled and followed to its end all the same.
    const host = await context.openHost('commands', unlessCancelled(context.signal));
    try {
      await this.deps.runs.forget(host, context.detached.runId);
    } finally {
      host.release();
    }
  }

  async #obeyCancel(following: RunFollower, id: string): Promise<void> {
    if (!following.isCancelled || following.isCancelLogged) return;
    following.isCancelLogged = true;
    if (!following.order.mayBeCut) {
      following.context.detached.carryOn();
      if (following.order.stopsWhereItCan) {
        following.context.log(
          'Cancel requested: the work stops if no package is being changed yet; otherwise the job waits for its end.',
        );
        await following.onHost((host) => this.deps.runs.askToStop(host, id), this.deps.clock);
        return;
      }
      following.context.log(
        'Cancel requested, but this work cannot be interrupted safely: the job waits for its end.',
      );
      return;
    }
    following.context.log('Cancel requested: stopping the work.');
    await following.onHost((host) => this.deps.runs.terminate(host, id), this.deps.clock);
  }
}

/** How far a run has been followed, and over which connection. */
class RunFollower {
  readonly context: JobContext;
  readonly order: DetachedOrder;
  offset: number;
  isCancelLogged = false;
  /** Bytes of a line that has not ended yet. */
  #rest: Buffer = Buffer.alloc(0);
  #host: RemoteHost | null = null;
  /** Aborted if the job has to stop following the work. */
  readonly detachSignal: AbortSignal;

  constructor(context: JobContext, order: DetachedOrder, offset: number) {
    this.context = context;
    this.order = order;
    this.offset = offset;
    // A cancel does not cut the line to the host: the work is followed, or ended in an orderly way.
    this.detachSignal = unlessCancelled(context.signal);
  }

  get isCancelled(): boolean {
    return isCancelled(this.context.signal);
  }

  /** Does something on the host, again over a new connection for as long as it cannot be reached. */
  async onHost<T>(work: (host: RemoteHost) => Promise<T>, clock: Clock): Promise<T> {
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      this.detachSignal.throwIfAborted();
      try {
        this.#host ??= await this.context.openHost('commands', this.detachSignal);
        return await work(this.#host);
      } catch (error) {
        this.detachSignal.throwIfAborted();
        if (!isOutOfReach(error)) throw error;
        this.#host?.release();
        this.#host = null;
        if (pause === FIRST_PAUSE_MS) {
          this.context.log(`The host is unreachable; work on it continues. Retrying. (${error.message})`);
        }
        await clock.sleep(pause, this.detachSignal);
        pause = Math.min(2 * pause, MAX_PAUSE_MS);
      }
    }
  }

  take(part: RunPart): void {
    let bytes = Buffer.concat([this.#rest, part.content]);
    // A marker's offset is that of the first byte not logged yet.
    let at = part.next - bytes.length;
    for (let end = endOfLine(bytes); end > 0; end = endOfLine(bytes)) {
      at += end;
      this.#line(bytes.subarray(0, end).toString('utf8'), at);
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
    this.offset = part.next;
  }

  finish(): void {
    if (this.#rest.length > 0) this.#line(this.#rest.toString('utf8'), this.offset);
    this.#rest = Buffer.alloc(0);
  }

  #line(text: string, next: number): void {
    const marker = markerOf({ offset: next, about: this.order.about });
    const line = text.replace(/\r?\n$/, '');
    this.context.detached.log(line, marker);
    const step = this.order.steps?.(line);
    if (!step) return;
    const { name, amount } = step;
    const percent = amount ? (100 * amount.done) / Math.max(1, amount.total) : null;
    this.context.progress(name, percent, amount ? { amount } : {});
  }
}

/** Length of the next line in bytes; 0 if it is incomplete. */
function endOfLine(bytes: Buffer): number {
  const newline = bytes.indexOf(0x0a);
  if (newline >= 0 && newline < MAX_LINE_LENGTH) return newline + 1;
  if (bytes.length < MAX_LINE_LENGTH) return 0;
  // Never inside a character: bytes that continue one are 10xxxxxx.
  let end = MAX_LINE_LENGTH;
  while (end > MAX_LINE_LENGTH - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

const isOutOfReach = (error: unknown): error is DomainError =>
  isDomainError(error, 'host_connection_lost') ||
  isDomainError(error, 'host_unreachable') ||
  isDomainError(error, 'host_timeout');

const LOST = {
  interrupted: [
    'work_interrupted',
    'The host rebooted while the job was running. Check its state before you start the job again.',
  ],
  not_started: [
    'work_not_started',
    'Work on the host never started, and nothing was changed. Start the job again.',
  ],
  died: [
    'work_died',
    'Work on the host ended without a result: it was killed, or its run directory was removed. Check the state of the host.',
  ],
} as const;

function lost(kind: keyof typeof LOST | 'unknown'): DomainError {
  const [code, detail] = LOST[kind === 'unknown' ? 'died' : kind];
  return new DomainError(code, detail);
}

interface Marker {
  /** The first byte that is not logged yet. Without one the work was asked for: it may have been started, or not. */
  readonly offset?: number | undefined;
  readonly about?: number | undefined;
}

const markerOf = ({ offset, about }: Marker): string => JSON.stringify({ offset, about });

/** The `about` of this job's `DetachedOrder`. */
export const aboutWork = (marker: string | null): number | null => readMarker(marker).about ?? null;

const MARKER = /^\{(?:"offset":(\d{1,15}))?,?(?:"about":(\d{1,15}))?\}$/;

/** Whether the marker is one of such work; a job may also mark other things that it does on the host. */
export const isWorkMarker = (marker: string | null): boolean => marker !== null && MARKER.test(marker);

function readMarker(marker: string | null): Marker {
  const [, offset, about] = MARKER.exec(marker ?? '') ?? [];
  return {
    offset: offset === undefined ? undefined : Number(offset),
    about: about === undefined ? undefined : Number(about),
  };
}

/** Whether the work of a job with this marker was started; if not, its order is still missing. */
export const wasStarted = (marker: string | null): boolean => readMarker(marker).offset !== undefined;

/** For work after that of a job, which died: a separate run. The job's marker stays that of the work, so that the next worker comes here again. */
export const recoveryOf = (context: JobContext): JobContext => ({
  ...context,
  detached: {
    ...context.detached,
    runId: `${context.detached.runId}-r`,
    marker: null,
    mark: async () => undefined,
    log: (line) => context.log(line),
  },
});
