import { isWithin } from '../base/path-within.ts';
import { count } from '../base/spans.ts';
import type { EntryFacts } from '../files/directory-entry.ts';
import type { HostDifference } from '../fleet/host-state.ts';
import { type BackupSource, coversPath } from './backup-source.ts';

/** Where configuration is on every distribution; a Compose project's is in its directory. */
const CONFIG_PLACES = ['/etc', '/usr/local/etc', '/var/spool/cron'];
/** https://github.com/compose-spec/compose-spec/blob/main/spec.md#compose-file, and what it reads. */
const COMPOSE_FILE = /^(?:(?:docker-)?compose(?:\.[\w-]{1,60})?\.ya?ml|\.env)$/;

/** An entry of a snapshot, as far as two are compared. */
export type FileFacts = EntryFacts & {
  /** Permissions, with set-id and sticky bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Hex, of a file's content; `null` if it is unknown. */
  readonly sha256: string | null;
  /** Of a symbolic link. */
  readonly target: string | null;
};

/** A place of a source whose changes are listed. */
export interface ConfigPlace {
  /** An absolute path. */
  readonly path: string;
  /** Only the Compose files directly in it. */
  readonly onlyCompose: boolean;
}

/** The configuration that snapshots of a source have. `projects`: directories of Compose projects on the server. */
export function configPlaces(
  source: Pick<BackupSource, 'kind' | 'paths'>,
  projects: readonly string[],
): readonly ConfigPlace[] {
  if (source.kind !== 'files') return [];
  const plain = CONFIG_PLACES.flatMap((place) =>
    source.paths.some((path) => isWithin(place, path))
      ? [place]
      : source.paths.filter((path) => isWithin(path, place)),
  );
  const composed = projects.filter(
    (project) =>
      isPlain(project) &&
      source.paths.some((path) => isWithin(project, path)) &&
      !plain.some((place) => isWithin(project, place)),
  );
  return [
    ...plain.map((path) => ({ path, onlyCompose: false })),
    ...composed.map((path) => ({ path, onlyCompose: true })),
  ];
}

/** Hosts report the directories of projects. */
const isPlain = (path: string): boolean =>
  path.startsWith('/') &&
  path
    .slice(1)
    .split('/')
    .every((name) => !['', '.', '..'].includes(name));

/** The place of a path; of a project, only for what is directly in its directory. */
export function placeOf(places: readonly ConfigPlace[], path: string): ConfigPlace | undefined {
  const directory = path.slice(0, path.lastIndexOf('/'));
  return places.find((place) =>
    place.onlyCompose ? place.path === path || place.path === directory : isWithin(path, place.path),
  );
}

/** Whether changes of the file are listed. */
export const isConfigFile = (source: BackupSource, { onlyCompose }: ConfigPlace, path: string): boolean =>
  coversPath(source, path) && (!onlyCompose || COMPOSE_FILE.test(path.slice(path.lastIndexOf('/') + 1)));

/**
 * How a file differs; `null` if only its time does. A directory differs in permissions and owner: what is added to it, or is
 * removed with it, is listed.
 */
export function fileDifference(
  name: string,
  before: FileFacts | null,
  after: FileFacts | null,
): HostDifference | null {
  if (before === null || after === null) {
    const only = before ?? after;
    if (only === null || only.kind === 'dir') return null;
    return { kind: 'file', name, before: before && shown(before), after: after && shown(after) };
  }
  const [was, is]: [string[], string[]] = [[shown(before)], [shown(after)]];
  const isRewritten = before.kind === 'file' && after.kind === 'file' && !hasSameContent(before, after);
  if (isRewritten) is.push('new contents');
  for (const [label, valueOf] of ATTRIBUTES) {
    if (valueOf(before) === valueOf(after)) continue;
    was.push(`${label} ${valueOf(before)}`);
    is.push(`${label} ${valueOf(after)}`);
  }
  const [old, now] = [was.join(', '), is.join(', ')];
  return old === now ? null : { kind: 'file', name, before: old, after: now };
}

const ATTRIBUTES: readonly (readonly [label: string, valueOf: (facts: FileFacts) => string])[] = [
  ['mode', ({ mode }) => mode.toString(8).padStart(4, '0')],
  ['owner', ({ uid, gid }) => `${uid}:${gid}`],
];

const hasSameContent = (a: FileFacts, b: FileFacts): boolean =>
  a.sha256 === null || b.sha256 === null
    ? a.size === b.size && a.modifiedAt === b.modifiedAt
    : a.sha256 === b.sha256;

function shown({ kind, size, target }: FileFacts): string {
  if (kind === 'file') return `file, ${count(size, 'byte')}`;
  if (kind === 'link') return `link to ${target ?? 'unknown'}`;
  return kind === 'dir' ? 'directory' : 'special file';
}
