import { isDomainError } from '../../domain/base/errors.ts';

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
