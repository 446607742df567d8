import { whenAborted } from './when-aborted.ts';

/** `reason` is told the milliseconds. */
type Limit = (ms: number, reason: (ms: number) => unknown) => void;

export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Another limit from now on, in place of the former one. */
  readonly within: Limit;
  /** To be called when the work is over. Then nothing of it is kept by the signal that it followed. */
  readonly release: () => void;
}

/**
 * Aborted when `signal` is, and with `reason` after so many milliseconds. In place of `AbortSignal.any`, of which nobody
 * can let go: a signal that lives as long as the service would keep a piece of each that was ever made of it.
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
