import { isDomainError } from '../../domain/base/errors.ts';

/**
 * Aborted where the job has to let go, but not by a cancel: for work that goes on, or that has to be followed, although
 * somebody wants the job to end.
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
