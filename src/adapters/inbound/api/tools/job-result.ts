import { readableValue } from '../../../../domain/base/visible-text.ts';
import { describeChange, isPackageChange } from '../../../../domain/fleet/package-change.ts';
import { conciseEntry, type Fields, fitting, short } from '../tool-form.ts';

/** Characters of the log in a concise job. */
const LOG_CHARACTERS = 3_000;
const MAX_LINE = 300;
/** Characters of each text in a result. */
const MAX_RESULT_TEXT = 2_000;

/** A job as tools show it. Its packages are only in the result, not again in the log; its steps are for people. */
export function conciseJob(job: Fields): Record<string, unknown> {
  const { log_tail: tail, log_lines: lines, result, phases: _, summary, ...rest } = job;
  const changes = changesOf(result);
  return {
    // The summary of a job that failed is often its error.
    ...conciseEntry({
      ...rest,
      ...(summary === rest['error'] ? {} : { summary }),
      log_tail: logOf(lines === undefined ? tail : null, changes),
    }),
    ...(Array.isArray(lines)
      ? { log_lines: linesOf(lines as string[], changes).map((line) => short(line, MAX_LINE)) }
      : {}),
    ...(result ? { result: resultOf(result as Fields, changes) } : {}),
  };
}

const changesOf = (result: unknown): readonly string[] => {
  const changes = (result as { changes?: unknown } | null | undefined)?.changes;
  return Array.isArray(changes) && changes.every(isPackageChange) ? changes.map(describeChange) : [];
};

/** The last lines that fit. */
function logOf(tail: unknown, changes: readonly string[]): readonly string[] {
  if (!Array.isArray(tail)) return [];
  const lines = linesOf(tail as string[], changes).map((line) => short(line, MAX_LINE));
  return fitting(lines.toReversed(), LOG_CHARACTERS).toReversed();
}

function linesOf(lines: readonly string[], changes: readonly string[]): readonly string[] {
  if (changes.length === 0) return lines;
  // Log lines start with the time.
  const named = new Set(changes);
  return lines.filter((line) => !named.has(line) && !named.has(line.replace(/^\S+ /, '')));
}

/** Each change as one line: `openssl 3.5.1-1 -> 3.5.1-1+deb13u1 [security]`. */
const resultOf = (result: Fields, changes: readonly string[]): Fields =>
  readableValue(changes.length === 0 ? result : { ...result, changes }, MAX_RESULT_TEXT);
