import { createHash } from 'node:crypto';
import type {
  HostContainer,
  HostImage,
  RegistryAnswer,
} from '../../src/application/ports/compose/container-engine.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { ComposeDefinition, DefinedService, ProjectPlace } from '../../src/domain/compose/compose.ts';

/** Contents by absolute path. */
export type FakeHostFiles = Map<string, string>;

export interface FakeContainer {
  readonly directory: string;
  readonly project: string;
  readonly service: string;
  image: string;
  imageId: string;
  running: boolean;
}

interface Published {
  readonly imageId: string;
  readonly healthy: boolean;
}

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export const hashOf = (image: string): string => sha(image).slice(7);
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** Reads the JSON of a compose file; throws `compose_invalid`. */
export function readDefinition(files: FakeHostFiles, place: ProjectPlace): ComposeDefinition {
  const path = place.configFiles[0] ?? `${place.directory}/compose.yaml`;
  const invalid = (why: string): DomainError => new DomainError('compose_invalid', `${path}: ${why}.`);
  const text = files.get(path);
  if (text === undefined) throw invalid('there is no such file');
  let parsed: { name?: string; services?: Record<string, { image?: string; build?: string }> };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    throw invalid('it is no YAML');
  }
  const services = Object.entries(parsed.services ?? {}).map(([name, { image, build }]): DefinedService => {
    if (image === undefined && build === undefined) throw invalid(`${name} has neither image nor build`);
    return { name, image: image ?? null, builds: build !== undefined, configHash: hashOf(image ?? name) };
  });
  const project = place.project ?? parsed.name ?? place.directory.split('/').at(-1) ?? '';
  return { project, services };
}

/** The containers and images of a host, and the registry that it pulls from. */
export class FakeContainers {
  #containers: FakeContainer[] = [];
  /** Image ids by reference, as tags on the host. */
  #tags = new Map<string, string>();
  #images = new Map<string, string[]>();
  readonly #published = new Map<string, Published>();
  readonly #registry = new Map<string, string>();
  readonly posing: string[] = [];
  /** References that the registry does not know, and why. */
  readonly silent = new Map<string, string>();

  /** Puts an image into the registry under a reference; returns its digest. */
  publish(reference: string, content: string, { healthy = true }: { healthy?: boolean } = {}): string {
    const digest = sha(`index of ${content}`);
    this.#published.set(digest, { imageId: sha(content), healthy });
    this.#registry.set(reference, digest);
    return digest;
  }

  registryAnswer(reference: string): RegistryAnswer {
    const reason = this.silent.get(reference);
    if (reason !== undefined) return { digest: null, reason };
    const digest = this.#registry.get(reference);
    return digest === undefined ? { digest: null, reason: `No registry knows ${reference}.` } : { digest };
  }

  /** Like `docker pull NAME@DIGEST` and the tag; false if the registry has no such digest. */
  pull(reference: string, digest: string): boolean {
    const found = this.#published.get(digest);
    if (!found) return false;
    const name = `${reference.replace(/:[^:/]*$/, '')}@${digest}`;
    const names = this.#images.get(found.imageId) ?? [];
    if (!names.includes(name)) this.#images.set(found.imageId, [...names, name]);
    this.#tags.set(reference, found.imageId);
    return true;
  }

  up(directory: string, project: string, { name, image }: DefinedService): void {
    const reference = image ?? `${project}-${name}`;
    const digest = this.#registry.get(reference);
    if (!this.#tags.has(reference) && digest !== undefined) this.pull(reference, digest);
    const imageId = this.#tags.get(reference) ?? sha(reference);
    if (!this.#images.has(imageId)) this.#images.set(imageId, []);
    const there = this.#containers.find((each) => each.directory === directory && each.service === name);
    if (there) Object.assign(there, { image: reference, imageId, running: true });
    else {
      this.#containers.push({ directory, project, service: name, image: reference, imageId, running: true });
    }
  }

  /** A container whose image brings the labels of a project. */
  pose(name: string): void {
    this.posing.push(name);
  }

  recreate(directory: string, service: string): void {
    for (const each of this.of(directory, [service]))
      each.imageId = this.#tags.get(each.image) ?? each.imageId;
  }

  removeOthers(directory: string, { services }: ComposeDefinition): void {
    this.#containers = this.#containers.filter(
      (each) => each.directory !== directory || services.some(({ name }) => name === each.service),
    );
  }

  /** False if a container still uses it. */
  removeUnused(imageId: string): boolean {
    if (this.imageIds().includes(imageId)) return false;
    return this.#images.delete(imageId);
  }

  of(directory: string, services: readonly string[]): readonly FakeContainer[] {
    return this.#containers.filter(
      (each) => each.directory === directory && (services.length === 0 || services.includes(each.service)),
    );
  }

  isSick({ imageId, running }: FakeContainer): boolean {
    return running && [...this.#published.values()].some((each) => each.imageId === imageId && !each.healthy);
  }

  imageIds(): string[] {
    return this.#containers.map(({ imageId }) => imageId);
  }

  directories(): string[] {
    return this.#containers.map(({ directory }) => directory);
  }

  survey(): { containers: readonly HostContainer[]; images: ReadonlyMap<string, HostImage> } {
    const containers = this.#containers.map(({ directory, project, service, image, imageId }) => ({
      name: `${project}-${service}-1`,
      image,
      imageId,
      directory,
      service,
    }));
    const images = [...this.#images].map(([id, repoDigests]) => [id, { id, repoDigests }] as const);
    const posing = this.posing.map((name) => ({
      name,
      image: name,
      imageId: sha(name),
      directory: null,
      service: null,
    }));
    return { containers: [...containers, ...posing], images: new Map(images) };
  }

  snapshot(): { restore: () => void } {
    const containers = this.#containers.map((each) => ({ ...each }));
    const [tags, images] = [new Map(this.#tags), new Map(this.#images)];
    return {
      restore: () => {
        this.#containers = containers;
        this.#tags = tags;
        this.#images = images;
      },
    };
  }
}
