import * as z from 'zod';
import type {
  ContainerSurvey,
  EngineKind,
  HostContainer,
  HostImage,
} from '../../../../application/ports/compose/container-engine.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { ComposeProject, ContainerHealth, RunningService } from '../../../../domain/compose/compose.ts';
import { isDigest, isImage, isPath, isProject, isService } from '../../../../domain/compose/compose-names.ts';
import { MAX_CONTAINERS } from '../../../../domain/fleet/inventory.ts';
import { firstLines, hostJson } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { MAX_LABEL, MAX_PRINTED } from './survey-script.ts';

/** In characters: the labels of a container as they are read, each character written in six. */
const MAX_JSON_LINE = 256 * 1024;

const text = z.string();
const maybe = text.nullable();
/** The output of `SURVEY` for a container. */
const Container = z
  .tuple([text, text, text, text, text, maybe, maybe, maybe, maybe, maybe, maybe, maybe])
  .transform(
    ([name, image, imageId, state, health, project, directory, files, service, oneOff, hash, version]) => ({
      name: plainText(name.replace(/^\//, '')) ?? 'without a name',
      image: isImage(image) ? image : '',
      imageId: imageIdOf(imageId),
      running: state === 'running',
      health,
      labels: { project, directory, files, service, oneOff, hash, version },
    }),
  );
/** The last: whether it brings labels that make a container a member of a project. */
const Image = z.tuple([text, z.array(text).nullable(), z.boolean()]);

type FoundContainer = z.output<typeof Container>;

/** Throws `host_tool_missing` if there is no engine, `host_command_failed` if it does not answer. */
export function readSurvey(sections: Sections): ContainerSurvey {
  const engine = engineOf(sections);
  const images = new Map<string, HostImage>();
  /** Images that say they were of a compose project. */
  const posing = new Set<string>();
  for (const [rawId, repoDigests, isPosing] of lines(Image, sections.get('images')?.text)) {
    const id = imageIdOf(rawId);
    images.set(id, { id, repoDigests: repoDigests ?? [] });
    if (isPosing) posing.add(id);
  }
  const notes = cutShort(sections);
  const printed = sections.get('containers');
  const listed = lines(Container, printed?.text);
  // There are ids, or the section would be missing: reporting no containers would be wrong.
  if (printed && listed.length === 0) throw unreadable(engine);
  if (listed.length > MAX_CONTAINERS) {
    notes.push(`There are more containers than ${MAX_CONTAINERS}; only the first ones were checked.`);
  }
  const containers: HostContainer[] = [];
  const members: Member[] = [];
  for (const found of listed.slice(0, MAX_CONTAINERS)) {
    const image = !images.has(found.imageId) ? 'unread' : posing.has(found.imageId) ? 'posing' : 'plain';
    const member = memberOf(found, image, notes);
    if (member) members.push(member);
    containers.push({
      name: found.name,
      image: found.image,
      imageId: found.imageId,
      directory: member?.directory ?? null,
      service: member?.service ?? null,
    });
  }
  const directories = listedDirectories(sections.get('listed')?.text ?? '');
  return { engine, containers, projects: projectsOf(members, directories, notes), images, notes };
}

/** Which parts were truncated, so that no one takes them for complete. */
const cutShort = (sections: Sections): string[] => {
  const isCut = (name: keyof typeof MAX_PRINTED): boolean =>
    Buffer.byteLength(sections.get(name)?.text ?? '') >= MAX_PRINTED[name];
  return [
    ...(isCut('images') ? ['The list of images was cut: the origin of some is unknown.'] : []),
    ...(isCut('containers') ? ['The list of containers was cut; some are missing.'] : []),
    ...(isCut('listed') ? ['The Compose directories contain too many projects; some were not checked.'] : []),
  ];
};

const unreadable = (engine: EngineKind): DomainError =>
  new DomainError(
    'host_command_failed',
    `The container list of ${engine} could not be read: it may be too old. Try "${engine} inspect" on the host.`,
  );

function engineOf(sections: Sections): EngineKind {
  const kind = sections.get('engine')?.text.trim();
  if (kind === 'docker' || kind === 'podman') return kind;
  const fault = sections.get('fault')?.text;
  if (fault === undefined) {
    throw new DomainError(
      'host_tool_missing',
      'Neither Docker nor Podman is installed on this host: install one, or turn off the feature docker.',
    );
  }
  throw new DomainError(
    'host_command_failed',
    `The container engine of the host does not answer: ${plainText(fault, 300) ?? 'no output'}. Check that it runs (systemctl status docker), and that the account can use it.`,
  );
}

function memberOf(
  found: FoundContainer,
  madeOf: 'plain' | 'posing' | 'unread',
  notes: string[],
): Member | null {
  const { project, directory, service, files, oneOff, hash, version } = found.labels;
  if (!project || !directory || !service || oneOff === 'True') return null;
  // The author of an image writes its labels, and could name any file.
  if (madeOf !== 'plain') {
    const why = {
      posing: 'its image claims to belong to a Compose project',
      unread: 'its image could not be read, so its labels may come from that',
    }[madeOf];
    notes.push(`Container ${found.name} was skipped: ${why}.`);
    return null;
  }
  const isCut = (files ?? '').length >= MAX_LABEL.config_files;
  if (!isProject(project) || !isPath(directory) || !isService(service) || found.image === '' || isCut) {
    notes.push(`Container ${found.name} was skipped: Compose does not write such labels.`);
    return null;
  }
  return {
    project,
    directory,
    service,
    // Compose separates them by commas; a name with a comma cannot be distinguished from two.
    configFiles: (files ?? '').split(',').filter((path) => path !== ''),
    image: found.image,
    imageId: found.imageId,
    running: found.running,
    health: found.health,
    configHash: plainText(hash ?? '', 100),
    composeVersion: plainText(version ?? '', 40),
  };
}

const listedDirectories = (listed: string): string[] =>
  listed
    .split('\0')
    .filter(isPath)
    .map((path) => path.slice(0, path.lastIndexOf('/')) || '/');

/** podman prints the digits alone. */
const imageIdOf = (raw: string): string => (isDigest(`sha256:${raw}`) ? `sha256:${raw}` : raw);

function lines<T extends z.ZodType>(item: T, printed = ''): z.output<T>[] {
  return Array.from(firstLines(printed, MAX_CONTAINERS + 1, MAX_JSON_LINE)).flatMap((line) => {
    const read = item.safeParse(hostJson(line, MAX_JSON_LINE));
    return read.success ? [read.data] : [];
  });
}

const MAX_PROJECTS = 200;

/** A container of a compose project. */
interface Member {
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

/** By directory: projects with containers, and listed ones. Omissions are noted. */
function projectsOf(
  members: readonly Member[],
  listed: readonly string[],
  notes: string[],
): ComposeProject[] {
  const byDirectory = groups(members, ({ directory }) => directory);
  for (const directory of listed) if (!byDirectory.has(directory)) byDirectory.set(directory, []);
  if (byDirectory.size > MAX_PROJECTS) {
    notes.push(`Of ${byDirectory.size} Compose projects, only the first ${MAX_PROJECTS} were checked.`);
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
    return 'Containers of several projects name this directory; use a separate directory for each project.';
  }
  if (members.some(({ composeVersion }) => composeVersion === null)) {
    return 'Its containers were not created by Compose version 2 (podman-compose is a different program). Recreate them with docker-compose.';
  }
  return files.every(isPath)
    ? null
    : 'Its containers do not name their compose files by plain absolute paths.';
}

function serviceOf(name: string, own: readonly Member[]): RunningService {
  const running = own.filter((each) => each.running);
  const counted = running.length > 0 ? running : own;
  const ids = new Set(counted.map(({ imageId }) => imageId));
  const [first] = counted;
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
