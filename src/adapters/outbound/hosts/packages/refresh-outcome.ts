import { DomainError } from '../../../../domain/base/errors.ts';
import { firstLines } from '../shell/host-lines.ts';
import { noTool, type PatchRemedies } from './patch/outcome.ts';
import { REFRESH_EXIT } from './refresh.ts';

/** A package manager's message about a failed source: groups `source` and, if given, `reason`. */
export type RefreshFault = RegExp;

/** As `WATCH_REFRESH` prints it. */
const NONE = 'No package source could be refreshed.';
const MAX_QUOTED = 3;
const MAX_SOURCES = 50;
const MAX_LINES = 5_000;

/** Returns a note on each source that failed. Throws if none could be refreshed. */
export function refreshOutcome(
  { fault, remedies }: { readonly fault: RefreshFault; readonly remedies: PatchRemedies },
  exitCode: number | null,
  lines: readonly string[],
): readonly string[] {
  if (exitCode === REFRESH_EXIT.noTool) throw noTool(remedies.tool);
  if (exitCode === REFRESH_EXIT.locked) {
    throw failed(
      `The package lists could not be refreshed: another program held the lock of ${remedies.tool} for too long`,
      [],
      `Try again when it is done, or find the process that hangs on the host (${remedies.lock}).`,
    );
  }
  if (exitCode === null) throw failed(`${remedies.tool} was terminated by a signal`, [], NEXT);
  const failing = failedSources(fault, lines);
  if (exitCode !== 0 && (failing.size === 0 || lines.includes(NONE))) {
    const said =
      failing.size > 0 ? quotes(failing) : errorWords(lines.filter((line) => line !== NONE).join('\n'));
    throw failed('No package source could be refreshed', said, NEXT);
  }
  return quotes(failing).map((quote) => `A package source failed: ${quote}.`);
}

const NEXT = 'Check the package sources and the network of the host.';

export const unplanned = ({ tool, failed: step }: PatchRemedies, words: readonly string[]): DomainError =>
  failed(`${tool} cannot resolve an upgrade`, words, step);

/** A package manager's error message, or else its last words. */
export function errorWords(text: string): readonly string[] {
  const lines = Array.from(firstLines(text, MAX_LINES), (line) => line.trim());
  const errors = lines.filter((line) => /^(error|problem|fatal|failed)\b|\blocked\b/i.test(line));
  return errors.length > 0 ? errors : lines.filter((line) => line !== '').slice(-1);
}

function failedSources(pattern: RegExp, lines: readonly string[]): ReadonlyMap<string, string> {
  const failing = new Map<string, string>();
  for (const line of lines) {
    const { source, reason } = pattern.exec(line)?.groups ?? {};
    if (source === undefined || failing.size >= MAX_SOURCES || failing.has(source)) continue;
    failing.set(source, reason?.trim().replace(/\.$/, '') ?? 'it could not be refreshed');
  }
  return failing;
}

const quotes = (failing: ReadonlyMap<string, string>): string[] =>
  Array.from(failing, ([source, reason]) => withoutPasswords(`${source}: ${reason}`));

function failed(what: string, words: readonly string[], nextStep: string): DomainError {
  const quoted = words.slice(0, MAX_QUOTED).map((line) => withoutPasswords(line).replace(/\.$/, ''));
  const said = quoted.length > 0 ? `: ${quoted.join('; ')}` : '';
  return new DomainError('host_command_failed', `${what}${said}. ${nextStep}`);
}

/** Addresses of package sources may carry a user's name and password. */
export const withoutPasswords = (text: string): string => text.replace(/(\/\/)[^/\s@]{1,300}@/g, '$1');
