import { whenAborted } from './when-aborted.ts';

export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** To be called when the work is over. Then nothing of it is kept by the signal that it followed. */
  readonly letGo: () => void;
}

/**
 * Aborted when `signal` is, and with `reason()` after so many milliseconds. In place of `AbortSignal.any`, of which nobody
 * can let go: a signal that lives as long as the service would keep a piece of each that was ever made of it.
 */
export function limitedSignal(
  signal: AbortSignal | undefined,
  ms: number,
  reason: () => unknown,
): LimitedSignal {
  const ending = new AbortController();
  const forget = whenAborted(signal, () => ending.abort(signal?.reason));
  const timer = setTimeout(() => ending.abort(reason()), ms);
  return {
    signal: ending.signal,
    letGo: () => {
      clearTimeout(timer);
      forget();
    },
  };
}
