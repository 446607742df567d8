import type { ComposeProject, ContainerHealth, RunningService } from '../../../../domain/compose/compose.ts';
import { isPath } from '../../../../domain/compose/compose-names.ts';

const MAX_PROJECTS = 200;

/** A container of a compose project. */
export interface Member {
  readonly project: string;
  readonly directory: string;
  readonly service: string;
  readonly configFiles: readonly string[];
  readonly image: string;
  readonly imageId: string;
  readonly running: boolean;
  /** The engine's word; empty without a health check. */
  readonly health: string;
  readonly configHash: string | null;
  readonly composeVersion: string | null;
}

/** By directory: those that have containers, and those that were listed. What is left out is noted. */
export function projectsOf(
  members: readonly Member[],
  listed: readonly string[],
  notes: string[],
): ComposeProject[] {
  const byDirectory = groups(members, ({ directory }) => directory);
  for (const directory of listed) if (!byDirectory.has(directory)) byDirectory.set(directory, []);
  if (byDirectory.size > MAX_PROJECTS) {
    notes.push(`Of ${byDirectory.size} compose projects the first ${MAX_PROJECTS} were looked at.`);
  }
  const directories = [...byDirectory.keys()].toSorted().slice(0, MAX_PROJECTS);
  return directories.map((directory) => projectOf(directory, byDirectory.get(directory) ?? []));
}

function projectOf(directory: string, members: readonly Member[]): ComposeProject {
  const [first] = members;
  const files = first?.configFiles ?? [];
  const services = [...groups(members, ({ service }) => service)]
    .map(([name, own]) => serviceOf(name, own))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return {
    project: first?.project ?? null,
    directory,
    configFiles: files.filter(isPath),
    services,
    problem: problemOf(members, files),
  };
}

function problemOf(members: readonly Member[], files: readonly string[]): string | null {
  if (new Set(members.map(({ project }) => project)).size > 1) {
    return 'Containers of several projects name this directory; give each project a directory of its own.';
  }
  if (members.some(({ composeVersion }) => composeVersion === null)) {
    return 'Its containers were not made by compose of version 2 (podman-compose is another program); make them anew with docker-compose.';
  }
  return files.every(isPath)
    ? null
    : 'Its containers do not name their compose files by plain absolute paths.';
}

function serviceOf(name: string, own: readonly Member[]): RunningService {
  const running = own.filter((each) => each.running);
  const told = running.length > 0 ? running : own;
  const ids = new Set(told.map(({ imageId }) => imageId));
  const [first] = told;
  return {
    name,
    image: first?.image ?? '',
    imageId: ids.size === 1 ? (first?.imageId ?? null) : null,
    containers: own.length,
    running: running.length,
    health: worst(running.map(({ health }) => health)),
    configHash: first?.configHash ?? null,
    composeVersion: first?.composeVersion ?? null,
  };
}

const worst = (words: readonly string[]): ContainerHealth | null =>
  (['unhealthy', 'starting', 'healthy'] as const).find((each) => words.includes(each)) ?? null;

function groups<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const grouped = new Map<string, T[]>();
  for (const each of all) grouped.set(keyOf(each), [...(grouped.get(keyOf(each)) ?? []), each]);
  return grouped;
}
