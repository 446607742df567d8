import type { PatchOutcome } from '../../../application/ports/package-manager.ts';
import { firstLines, plainText, wholeNumber } from '../../../application/remote-host/host-text.ts';
import { DomainError } from '../../../domain/errors.ts';
import { MOST_UPDATES } from '../../../domain/inventory.ts';
import { type PackageChange, sortChanges } from '../../../domain/package-change.ts';
import { PATCH_EXIT } from './apt-patch.ts';

const MOST_LINES = 3 * MOST_UPDATES;
const MOST_NAMED = 5;
const MIB = 1024 * 1024;

interface Told {
  readonly changes: PackageChange[];
  readonly plan: PackageChange[];
  readonly broken: Set<string>;
  readonly notes: string[];
  readonly space: string[];
  lock: string | null;
}

/** Reads what `APT_PATCH` left in its result file. */
export function aptOutcome({ exitCode, result }: { exitCode: number; result: string }): PatchOutcome {
  const told: Told = { changes: [], plan: [], broken: new Set(), notes: [], space: [], lock: null };
  for (const line of firstLines(result, MOST_LINES)) read(told, line);
  return {
    changes: sortChanges(told.changes),
    failure: failureOf(exitCode, told),
    planNow: exitCode === PATCH_EXIT.drifted ? sortChanges(told.plan) : null,
    notes: told.notes,
  };
}

function read(told: Told, line: string): void {
  const blank = line.indexOf(' ');
  const rest = line.slice(blank + 1);
  switch (line.slice(0, blank)) {
    case 'changed':
      told.changes.push(...readChange(rest));
      break;
    case 'plan':
      told.plan.push(...readChange(rest));
      break;
    case 'failed':
    case 'audit':
      told.broken.add(plainText(rest) ?? '');
      break;
    case 'lock':
      told.lock = plainText(rest.replace(/^[EW]: /, ''), 300);
      break;
    case 'space':
      told.space.push(...readSpace(rest));
      break;
    case 'note':
      told.notes.push(plainText(rest, 300) ?? '');
      break;
  }
}

const CHANGE = /^(upgrade|install|remove) (\S{1,200}) (\S{1,200}) (\S{1,200}) ([01])$/;

/** A line `KIND NAME FROM TO SECURITY`; none where it is anything else. */
export function readChange(line: string): PackageChange[] {
  const [, kind, name = '', from = '', to = '', security] = CHANGE.exec(line) ?? [];
  if (kind !== 'upgrade' && kind !== 'install' && kind !== 'remove') return [];
  const version = (text: string): string | null => (text === '-' ? null : plainText(text));
  const plainName = plainText(name) ?? '';
  return [{ kind, name: plainName, from: version(from), to: version(to), security: security === '1' }];
}

function readSpace(line: string): string[] {
  const [directory, needed, free] = line.split(' ');
  const [wanted, left] = [wholeNumber(needed), wholeNumber(free)];
  if (wanted === null || left === null) return [];
  return [
    `${plainText(directory)} needs ${Math.ceil(wanted / MIB)} MiB and has ${Math.floor(left / MIB)} MiB`,
  ];
}

function failureOf(exitCode: number, told: Told): DomainError | null {
  switch (exitCode) {
    case PATCH_EXIT.done:
      return null;
    case PATCH_EXIT.locked:
      return new DomainError(
        'host_command_failed',
        `Another program held a lock of the package manager all the time (${told.lock ?? 'it did not say which'}). Try again when it is done, or look on the host for what hangs (fuser -v /var/lib/dpkg/lock-frontend).`,
      );
    case PATCH_EXIT.noSpace:
      return new DomainError(
        'disk_full',
        `There is not enough room for the upgrade: ${told.space.join('; ')}. Nothing was upgraded; free some space (apt-get clean, old kernels) and start again.`,
      );
    case PATCH_EXIT.drifted:
      return new DomainError(
        'plan_drifted',
        'The host has changed since the plan was made. Nothing was upgraded; start a dry run again and look at its plan.',
      );
    case PATCH_EXIT.listsFailed:
      return new DomainError(
        'host_command_failed',
        'No package source could be refreshed, so nothing was upgraded; the log says why. Mend the sources and start again.',
      );
    case PATCH_EXIT.noApt:
      return new DomainError(
        'host_tool_missing',
        'There is no apt-get on this host, although it is of the Debian family.',
      );
    default:
      return patchFailed(exitCode, [...told.broken]);
  }
}

function patchFailed(exitCode: number, broken: readonly string[]): DomainError {
  const more = broken.length > MOST_NAMED ? ` and ${broken.length - MOST_NAMED} more` : '';
  const named = `${broken.slice(0, MOST_NAMED).join(', ')}${more}`;
  const ended = exitCode === PATCH_EXIT.failed ? '' : ` (code ${exitCode})`;
  return new DomainError(
    'patch_failed',
    broken.length > 0
      ? `The package manager could not finish ${named}${ended}. Read the log of the job, mend the package on the host, then run "dpkg --configure -a" there; "dpkg --audit" shows what is left.`
      : `The package manager failed${ended} before any package was broken. Read the log of the job, and run "apt-get -f install" on the host.`,
  );
}
