interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly leave: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls back once when the signal is aborted, immediately if it is already; the returned function cancels that. A
 * signal gets one listener however many wait for it: a job has one signal for all its commands, and Node warns of
 * more than ten. Without waiters it has none: Node keeps signals of some kinds for as long as they have listeners.
 */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const waiting = waitingFor.get(signal) ?? listen(signal);
  // a new function, so that one callback may wait twice
  const once = (): void => callback();
  waiting.callbacks.add(once);
  return () => {
    if (waiting.callbacks.delete(once) && waiting.callbacks.size === 0) waiting.leave();
  };
}

function listen(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>();
  const onAbort = (): void => {
    for (const callback of callbacks) callback();
    callbacks.clear();
  };
  const leave = (): void => {
    signal.removeEventListener('abort', onAbort);
    waitingFor.delete(signal);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const waiting = { callbacks, leave };
  waitingFor.set(signal, waiting);
  return waiting;
}

/** `reason` gets the milliseconds. */
type Limit = (ms: number, reason: (ms: number) => unknown) => void;

export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Replaces the limit from now on. */
  readonly within: Limit;
  /** To be called when the work is over. Then nothing of it is kept by the signal that it followed. */
  readonly release: () => void;
}

/**
 * Aborted when `signal` is, and with `reason` after this many milliseconds. Replaces `AbortSignal.any`, which cannot
 * be released: a signal that lives as long as the service would keep a part of each one ever created from it.
 */
export function limitedSignal(signal: AbortSignal | undefined, ...limit: Parameters<Limit>): LimitedSignal {
  const ending = new AbortController();
  const forget = whenAborted(signal, () => ending.abort(signal?.reason));
  let timer: NodeJS.Timeout | undefined;
  const within: Limit = (ms, reason) => {
    clearTimeout(timer);
    timer = setTimeout(() => ending.abort(reason(ms)), ms);
  };
  within(...limit);
  return {
    signal: ending.signal,
    within,
    release: () => {
      clearTimeout(timer);
      forget();
    },
  };
}
