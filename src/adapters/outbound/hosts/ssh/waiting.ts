import { whenAborted } from '../shell/when-aborted.ts';

/** Whether a promise settles, either way, within this many milliseconds. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/** A promise's value, or the signal's reason as soon as that is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let forget: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => {
    forget = whenAborted(signal, resolve);
  });
  try {
    await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return await promise;
  } finally {
    forget();
    promise.catch(() => undefined);
  }
}
