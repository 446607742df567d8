import type { PatchOutcome, PatchPlan } from '../../../../../application/ports/fleet/package-manager.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { isChangeKind, type PackageChange, sortChanges } from '../../../../../domain/fleet/package-change.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { plainText, wholeNumber } from '../../shell/host-text.ts';
import { PATCH_EXIT } from './frame.ts';
import { GuardReader } from './guard.ts';

const MAX_LINES = 3 * MAX_UPDATES;
const MAX_NAMED = 5;
const MIB = 1024 * 1024;

interface PatchReport {
  readonly changes: PackageChange[];
  readonly plan: PackageChange[];
  readonly broken: Set<string>;
  readonly notes: string[];
  readonly space: string[];
  readonly config: string[];
  readonly guard: GuardReader;
  lock: string | null;
}

/** Advice in the terms of one package manager. Each is a full sentence except `lock`, which goes into parentheses. */
export interface PatchRemedies {
  /** The program that runs on the host. */
  readonly tool: string;
  /** How to see who holds the lock. */
  readonly lock: string;
  readonly space: string;
  /** For packages that are known to be broken. */
  readonly broken: string;
  /** For an earlier failure. */
  readonly failed: string;
}

/** Reads the result file of `PATCH_FRAME`. */
export function patchOutcome(
  { exitCode, result }: { readonly exitCode: number; readonly result: string },
  remedies: PatchRemedies,
): PatchOutcome {
  const found: PatchReport = {
    changes: [],
    plan: [],
    broken: new Set(),
    notes: [],
    space: [],
    config: [],
    guard: new GuardReader(),
    lock: null,
  };
  for (const line of firstLines(result, MAX_LINES)) read(found, line);
  return {
    changes: sortChanges(found.changes),
    failure: failureOf(exitCode, found, remedies),
    planNow: exitCode === PATCH_EXIT.drifted ? sortChanges(found.plan) : null,
    notes: [...found.notes, ...configNote(found.config)],
    guard: found.guard.report,
  };
}

function read(found: PatchReport, line: string): void {
  const blank = line.indexOf(' ');
  const rest = line.slice(blank + 1);
  found.guard.read(line.slice(0, blank), rest);
  switch (line.slice(0, blank)) {
    case 'changed':
      found.changes.push(...readChange(rest));
      break;
    case 'plan':
      found.plan.push(...readChange(rest));
      break;
    case 'failed':
    case 'audit':
      found.broken.add(plainText(rest) ?? '');
      break;
    case 'lock':
      found.lock = plainText(rest.replace(/^[EW]: /, ''), 300);
      break;
    case 'space':
      found.space.push(...readSpace(rest));
      break;
    case 'full':
      found.space.push(plainText(rest.replace(/\.$/, '')) ?? '');
      break;
    case 'config':
      found.config.push(plainText(rest) ?? '');
      break;
    case 'note':
      found.notes.push(plainText(rest, 300) ?? '');
      break;
  }
}

const CHANGE = /^(upgrade|downgrade|install|remove) (\S{1,200}) (\S{1,200}) (\S{1,200}) ([01])$/;

/** A line `KIND NAME FROM TO SECURITY`; nothing for any other line. */
export function readChange(line: string): PackageChange[] {
  const [, kind, name = '', from = '', to = '', security] = CHANGE.exec(line) ?? [];
  if (!isChangeKind(kind)) return [];
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

const configNote = (files: readonly string[]): string[] => {
  if (files.length === 0) return [];
  const named = files.slice(0, MAX_NAMED).join(', ');
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  return [
    `Configuration files that were changed on the host were kept; the packages' versions are next to them: ${named}${more}.`,
  ];
};

function failureOf(exitCode: number, found: PatchReport, remedies: PatchRemedies): DomainError | null {
  switch (exitCode) {
    case PATCH_EXIT.done:
    case PATCH_EXIT.recovered:
      return null;
    case PATCH_EXIT.locked:
      return new DomainError(
        'host_command_failed',
        `Another program kept holding a lock of the package manager (${found.lock ?? 'unknown'}). Try again when it is done, or find the process that hangs on the host (${remedies.lock}).`,
      );
    case PATCH_EXIT.noSpace:
      return new DomainError(
        'disk_full',
        `There is not enough space for the upgrade: ${found.space.join('; ')}. Nothing was upgraded; ${remedies.space}`,
      );
    case PATCH_EXIT.drifted:
      return new DomainError(
        'plan_drifted',
        'The host has changed since the dry run. Nothing was upgraded. Do another dry run and review its plan.',
      );
    case PATCH_EXIT.listsFailed:
      return new DomainError(
        'host_command_failed',
        'No package source could be refreshed, so nothing was upgraded; the log says why. Fix the sources and start again.',
      );
    case PATCH_EXIT.cancelled:
      return new DomainError('job_cancelled', 'Cancelled before any package was changed.');
    case PATCH_EXIT.notSaved:
      return new DomainError(
        'host_command_failed',
        'The configuration and the package database could not be copied, so nothing was upgraded; the log says why. Fix that, or start without guard.',
      );
    case PATCH_EXIT.noTool:
      return noTool(remedies.tool);
    default:
      return patchFailed(exitCode, [...found.broken], remedies);
  }
}

export const noTool = (tool: string): DomainError =>
  new DomainError(
    'host_tool_missing',
    `There is no ${tool} on this host, although its distribution includes it.`,
  );

function patchFailed(exitCode: number, broken: readonly string[], remedies: PatchRemedies): DomainError {
  const more = broken.length > MAX_NAMED ? ` and ${broken.length - MAX_NAMED} more` : '';
  const named = `${broken.slice(0, MAX_NAMED).join(', ')}${more}`;
  const ended = exitCode === PATCH_EXIT.failed ? '' : ` (code ${exitCode})`;
  return new DomainError(
    'patch_failed',
    broken.length > 0
      ? `The package manager could not finish ${named}${ended}. ${remedies.broken}`
      : `The package manager failed${ended} before any package was broken. ${remedies.failed}`,
  );
}

/** The changes from `simulate`, and the listed updates that they leave. */
export function planWith(text: string, updates: readonly PendingUpdate[]): Omit<PatchPlan, 'notes'> {
  const pending = new Map(updates.map((update) => [update.name, update]));
  const changes = Array.from(firstLines(text, 4 * MAX_UPDATES), readChange)
    .flat()
    .map((change) => ({ ...change, security: pending.get(change.name)?.security ?? change.security }));
  const changed = new Set(changes.map(({ name }) => name));
  const left = updates.filter(({ name }) => !changed.has(name));
  return {
    changes: sortChanges(changes),
    held: left.filter(({ held }) => held),
    keptBack: left.filter(({ held, from }) => !held && from !== null),
  };
}
