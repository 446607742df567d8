import type {
  ComposeOutcome,
  ProjectOutcome,
} from '../../../../application/ports/compose/container-engine.ts';
import { count } from '../../../../domain/base/count.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { ImageChange } from '../../../../domain/compose/compose.ts';
import { isDigest, isImage, isService } from '../../../../domain/compose/compose-names.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import { noCompose, noSocket } from './compose-shell.ts';
import { COPY_PREFIX } from './guard-shell.ts';
import { WORK_EXIT } from './work-script.ts';

const MAX_LINES = 5_000;

interface ProjectReport {
  readonly directory: string;
  state: ProjectOutcome['state'] | null;
  readonly changes: ImageChange[];
  reason: string | null;
  /** The saved data is still beside the original. */
  isKept: boolean;
}

/** Reads the work's result file. */
export function workOutcome({ exitCode, result }: { exitCode: number; result: string }): ComposeOutcome {
  const projects: ProjectReport[] = [];
  const pruned: string[] = [];
  const notes: string[] = [];
  let invalid: string | null = null;
  let missing: DomainError | null = null;
  for (const line of firstLines(result, MAX_LINES)) {
    const [word = '', ...rest] = line.split(' ');
    const project = projects[Number(rest[0])];
    if (word === 'project') {
      const directory = plainText(rest.slice(1).join(' '), 1_000) ?? '';
      projects.push({ directory, state: null, changes: [], reason: null, isKept: false });
    } else if (word === 'pruned' && isDigest(rest[0] ?? '')) pruned.push(rest[0] ?? '');
    else if (word === 'invalid') invalid = plainText(rest.join(' '), 500);
    else if (word === 'compose') missing = noCompose();
    else if (word === 'socket') missing = noSocket();
    else if (project && word === 'state') project.state = stateOf(rest[1]);
    else if (project && word === 'why') project.reason ??= reasonOf(rest.slice(1));
    else if (project && word === 'kept') project.isKept = true;
    else if (project && word === 'note')
      notes.push(`${project.directory}: a check fails after the rollback, too.`);
    else if (project && word === 'changed')
      project.changes.push(...changeOf(project.directory, rest.slice(1)));
  }
  const outcomes = projects.map((project) => outcomeOf(project, invalid));
  return {
    projects: outcomes,
    failure: failureOf(exitCode, outcomes, { invalid, missing }),
    pruned,
    notes,
  };
}

function outcomeOf(
  { directory, state, changes, reason, isKept }: ProjectReport,
  invalid: string | null,
): ProjectOutcome {
  const ended = state ?? 'rollback_failed';
  if (ended === 'done') return { directory, state: ended, changes, reason: null };
  const why = invalid === null ? reason : `Compose does not accept its files: ${invalid}`;
  const kept = isKept ? ` The saved data is kept beside the original, in ${COPY_PREFIX}*.` : '';
  return { directory, state: ended, changes: [], reason: `${why ?? 'It did not finish.'}${kept}` };
}

function stateOf(word: string | undefined): ProjectOutcome['state'] | null {
  return word === 'done' || word === 'failed' || word === 'rolled_back' || word === 'rollback_failed'
    ? word
    : null;
}

function changeOf(directory: string, [service = '', image = '', from = '', to = '']: readonly string[]) {
  const isWhole = isService(service) && isImage(image) && (from === '-' || isDigest(from)) && isDigest(to);
  return isWhole ? [{ directory, service, image, from: from === '-' ? null : from, to }] : [];
}

/** The shell's `healthy` output for a service, as one sentence. */
function reasonOf([name = '-', word = '', detail = '-']: readonly string[]): string {
  const who = name === '-' ? 'A container' : (plainText(name) ?? 'A container');
  switch (word) {
    case 'unhealthy':
      return `${who} became unhealthy.`;
    case 'waiting':
      return `${who} did not become healthy within ${Number(detail)} s.`;
    case 'restarting':
      return `${who} keeps restarting (exit code ${Number(detail)}).`;
    case 'exited':
      return `${who} ended with exit code ${Number(detail)}.`;
    case 'pull':
      return `The image of ${who} could not be pulled, so nothing was changed; the log says why.`;
    case 'compose':
      return 'Compose failed; its message is in the log.';
    case 'files':
      return 'Its files could not be written, so nothing was changed; the log says why.';
    case 'notes':
      return 'The current state could not be recorded for a rollback, so nothing was changed: the engine does not answer, or the home directory of the account on the host is full.';
    case 'check':
      return `The ${plainText(detail, 40) ?? ''} check of ${who} failed.`;
    case 'interrupted':
      return 'The update was interrupted on the host: its process was ended, or the host restarted.';
    case 'save':
      return 'Its data could not be saved, so nothing was changed; the log says why.';
    case 'room':
      return 'There is not enough space for a copy of its data, so nothing was changed.';
    case 'directory':
      return 'Its directory no longer exists.';
    default:
      return `${who} is ${plainText(word, 40) ?? 'gone'}.`;
  }
}

function failureOf(
  exitCode: number,
  projects: readonly ProjectOutcome[],
  { invalid, missing }: { readonly invalid: string | null; readonly missing: DomainError | null },
): DomainError | null {
  switch (exitCode) {
    case WORK_EXIT.done:
      return null;
    case WORK_EXIT.drifted:
      return new DomainError(
        'plan_drifted',
        'The images that run on the host changed meanwhile. Nothing was changed by this job; start it again.',
      );
    case WORK_EXIT.invalid:
      return new DomainError(
        'compose_invalid',
        `Compose does not accept the project's files: ${invalid ?? ''}`,
      );
    case WORK_EXIT.nothingAsked:
      return new DomainError('work_not_started', 'Work on the host never started, and nothing was changed.');
    case WORK_EXIT.toolMissing:
      return missing ?? new DomainError('host_tool_missing', 'The host no longer has a container engine.');
    case WORK_EXIT.failed:
    case WORK_EXIT.rollbackFailed:
      return new DomainError(
        exitCode === WORK_EXIT.failed ? 'deploy_failed' : 'rollback_failed',
        sentence(projects),
      );
    default:
      return new DomainError(
        'rollback_failed',
        `The work on the host ended with code ${exitCode} without a result. Check its containers.`,
      );
  }
}

const AFTERWARDS = {
  done: '',
  failed: '',
  rolled_back: 'It was rolled back: the previous containers run again.',
  rollback_failed: 'It could not be rolled back. Check its containers on the host.',
} as const;

/** The first and worst, and how many others there are. */
function sentence(projects: readonly ProjectOutcome[]): string {
  const bad = projects.filter(({ state }) => state !== 'done');
  const worst = bad.find(({ state }) => state === 'rollback_failed') ?? bad[0];
  if (!worst) return 'It failed without a reason. See the log.';
  const others = bad.length > 1 ? ` ${count(bad.length - 1, 'other project')} failed too.` : '';
  return `${worst.directory}: ${worst.reason} ${AFTERWARDS[worst.state]}${others}`.trimEnd();
}
