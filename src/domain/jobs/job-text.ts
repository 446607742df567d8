import { oneLine } from '../base/one-line.ts';
import type { JobResult } from './job.ts';

/** Texts of a job are kept short, so that no amount of output from a host prevents the job from ending. */
export const shortCurrent = (text: string): string => oneLine(text, 500);
export const shortSummary = (text: string): string => oneLine(text, 500);
export const shortDetail = (text: string): string => oneLine(text, 2_000);

export const CANCELLED_WAITING = 'Cancelled before it started.';

const MAX_RESULT_BYTES = 1024 * 1024;

/** Throws `RangeError` for a result of more than 1 MiB as JSON: a runner has to leave something out itself. */
export function checkResult(result: JobResult | null): void {
  const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
  if (bytes > MAX_RESULT_BYTES) throw new RangeError(`a result of ${bytes} bytes is too large to keep`);
}
