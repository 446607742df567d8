import { z } from 'zod';
import { isImage, isPath, isProject, isService } from '../../../../domain/compose/compose-names.ts';
import { type ContainerFact, type Inventory, MAX_CONTAINERS } from '../../../../domain/fleet/inventory.ts';
import type { PublishedPort } from '../../../../domain/fleet/published-port.ts';
import { firstLines, hostJson } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { CONTAINER_USAGE, readUsage } from './container-usage.ts';
import { dockerPorts, podmanPorts } from './published-ports.ts';

/**
 * One JSON list a container. Labels are asked for by name: docker's own list of all labels parts them by commas, so
 * that an image could pass a label off for another. podman, whose templates differ, prints one JSON document.
 */
export const CONTAINERS = `${CONTAINER_USAGE}${String.raw`
containers() {
  code=127 engine=
  if has docker; then
    section docker 2000000 limit 15 docker ps -a --no-trunc --format '[{{json .Names}},{{json .State}},{{json .Image}},{{json .Status}},{{json (printf "%.2000s" (.Label "com.docker.compose.project"))}},{{json (printf "%.2000s" (.Label "com.docker.compose.service"))}},{{json (printf "%.2000s" (.Label "com.docker.compose.project.working_dir"))}},{{json .ID}},{{json (printf "%.4000s" .Ports)}}]'
    [ "$code" != 0 ] || engine=docker
  fi
  if [ "$code" != 0 ] && has podman; then
    section podman 4000000 limit 15 podman ps -a --no-trunc --format json
    [ "$code" != 0 ] || engine=podman
  fi
}
container_usage() { [ -z "$engine" ] || "$engine"_usage; }
`}`;

/** In characters, of a container and of all. */
const MAX_JSON_LINE = 64 * 1024;
const MAX_DOCUMENT = 4_000_000;

type FoundContainers = Pick<Inventory, 'containerEngine' | 'containers'>;

/** An engine that is there and may not be asked, or does not run, is named without its containers. */
export function readContainers(sections: Sections): FoundContainers {
  const docker = sections.get('docker');
  const podman = sections.get('podman');
  const usage = readUsage(sections.get('container-stats'), sections.get('container-restarts'));
  const measured = (each: ContainerFact): ContainerFact => ({ ...usage(each.id), ...each });
  if (docker?.exitCode === 0)
    return { containerEngine: 'docker', containers: dockerContainers(docker.text).map(measured) };
  if (podman?.exitCode === 0)
    return { containerEngine: 'podman', containers: podmanContainers(podman.text)?.map(measured) ?? null };
  return { containerEngine: docker ? 'docker' : podman ? 'podman' : null, containers: null };
}

const words = z.string();
const Line = z.tuple([words, words, words, words, words, words, words, words.optional(), words.optional()]);

function dockerContainers(text: string): readonly ContainerFact[] {
  return Array.from(firstLines(text, MAX_CONTAINERS, MAX_JSON_LINE)).flatMap((line) => {
    const found = Line.safeParse(hostJson(line, MAX_JSON_LINE));
    if (!found.success) return [];
    const [names, state, image, status, project, service, path, id, ports] = found.data;
    // others are names that linked containers know it by
    const name = names.split(',', 1)[0];
    const published = ports === undefined ? undefined : dockerPorts(ports);
    return containerFact({ id, name, state, image, status, project, service, path }, published);
  });
}

const Podman = z.object({
  Id: z.string().optional(),
  Names: z.array(z.string()).min(1),
  State: z.string(),
  Image: z.string(),
  Status: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
  Ports: z.array(z.unknown()).nullish().catch(null),
  Restarts: z.number().int().min(0).max(1_000_000_000).optional().catch(undefined),
});

function podmanContainers(text: string): readonly ContainerFact[] | null {
  const list = z.array(z.unknown()).safeParse(hostJson(text, MAX_DOCUMENT));
  if (!list.success) return null;
  return list.data.slice(0, MAX_CONTAINERS).flatMap((each) => {
    const found = Podman.safeParse(each);
    if (!found.success) return [];
    const { Id, Names, State, Image, Status, Labels, Ports, Restarts } = found.data;
    const labels = new Map(Object.entries(Labels ?? {}));
    const facts = {
      id: Id,
      name: Names[0],
      state: State,
      image: Image,
      status: Status,
      project: labels.get('com.docker.compose.project'),
      service: labels.get('com.docker.compose.service'),
      path: labels.get('com.docker.compose.project.working_dir'),
    };
    const restarts = Restarts === undefined ? {} : { restarts: Restarts };
    return containerFact(facts, podmanPorts(Ports ?? [])).map((container) => ({ ...container, ...restarts }));
  });
}

function containerFact(
  found: Partial<
    Record<'id' | 'name' | 'state' | 'image' | 'status' | 'project' | 'service' | 'path', string | undefined>
  >,
  ports: readonly PublishedPort[] | undefined,
): ContainerFact[] {
  const name = plainText(found.name);
  if (name === null) return [];
  const state = plainText(found.state, 40) ?? 'unknown';
  return [
    {
      id: /^[0-9a-f]{64}$/.test(found.id ?? '') ? (found.id ?? null) : null,
      name,
      state,
      running: state === 'running',
      image: fitting(isImage, found.image) ?? '',
      status: plainText(found.status) ?? '',
      project: fitting(isProject, found.project),
      service: fitting(isService, found.service),
      path: fitting(isPath, found.path),
      ...(ports === undefined ? {} : { ports }),
      update: null,
    },
  ];
}

/** Anyone can write labels into an image or a Compose file: values that Compose would not write are dropped. */
const fitting = (is: (text: string) => boolean, text: string | undefined): string | null =>
  text !== undefined && is(text) ? text : null;
