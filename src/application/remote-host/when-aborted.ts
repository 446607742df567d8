const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal is aborted, at once if it is already; the answer takes that back. A signal gets one
 * listener however many wait for it: a job has one signal for all its commands, and Node warns of more than ten.
 */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const waiting = listeners.get(signal) ?? listen(signal);
  // a function of its own, so that one callback may wait twice
  const once = (): void => callback();
  waiting.add(once);
  return () => void waiting.delete(once);
}

function listen(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  listeners.set(signal, waiting);
  const onAbort = (): void => {
    for (const callback of waiting) callback();
    waiting.clear();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return waiting;
}
