import type {
  ComposeOrder,
  ComposeOutcome,
  ComposeWork,
  ContainerEngine,
  ContainerSurvey,
  EngineKind,
  ProjectData,
  ProjectOutcome,
  ProjectPatch,
  RegistryAnswer,
} from '../../src/application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError, type ErrorCode } from '../../src/domain/base/errors.ts';
import { toIso } from '../../src/domain/base/instant.ts';
import type {
  ComposeDefinition,
  ComposeProject,
  ImageChange,
  ProjectFile,
  ProjectPlace,
} from '../../src/domain/compose/compose.ts';
import type { ImageFacts } from '../../src/domain/compose/image-facts.ts';
import {
  type FakeContainer,
  FakeContainers,
  type FakeHostFiles,
  hashOf,
  parentOf,
  readDefinition,
} from './fake-compose-host.ts';

/** How the work of the fake ended, as `perform` gives it. */
interface Ended {
  readonly exitCode: number;
  readonly result: string;
}

interface Report {
  readonly projects: readonly ProjectOutcome[];
  readonly code: ErrorCode | null;
  readonly pruned?: readonly string[];
}

/**
 * One host's containers, files and images, and the registry beside it, in memory. Compose files are JSON, which is
 * YAML too. `perform` runs what `work` returned, as the host would.
 */
export class FakeContainerEngine implements ContainerEngine {
  readonly files: FakeHostFiles = new Map();
  readonly containers = new FakeContainers();
  readonly #staged = new Map<string, readonly ProjectFile[]>();
  /** What containers have written, by their names. */
  readonly written = new Map<string, string>();
  /** What projects write to, by their directories. */
  readonly data = new Map<string, ProjectData>();
  /** What images say, by id, or by name and digest. */
  readonly facts = new Map<string, ImageFacts>();
  /** Fails whatever is asked of the host. */
  failure: DomainError | null = null;

  async survey(
    _host: RemoteHost,
    { directories, signal }: { directories: readonly string[]; signal: AbortSignal },
  ): Promise<ContainerSurvey> {
    this.#reach(signal);
    const found = this.containers.directories();
    const here = [...this.files.keys()].filter((path) => path.endsWith('/compose.yaml')).map(parentOf);
    const listed = here.filter((directory) =>
      directories.some((each) => each === directory || each === parentOf(directory)),
    );
    const projects = [...new Set([...found, ...listed])].toSorted().map((each) => this.#project(each));
    const notes = this.containers.posing.map(
      (name) => `Container ${name} was skipped: its image claims to belong to a Compose project.`,
    );
    return { engine: 'docker', ...this.containers.survey(), projects, notes };
  }

  async registryDigests(
    _host: RemoteHost,
    references: readonly string[],
    { signal }: { engine: EngineKind; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, RegistryAnswer>> {
    this.#reach(signal);
    return new Map(references.map((each) => [each, this.containers.registryAnswer(each)]));
  }

  async imageFacts(
    _host: RemoteHost,
    images: readonly string[],
    { signal }: { engine: EngineKind; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, ImageFacts>> {
    this.#reach(signal);
    return new Map([...this.facts].filter(([image]) => images.includes(image)));
  }

  async logs(
    _host: RemoteHost,
    container: string,
    { lines, since = '', signal }: { engine: EngineKind; lines: number; since?: string; signal: AbortSignal },
  ): Promise<string> {
    this.#reach(signal);
    const { containers } = this.containers.survey();
    if (!containers.some(({ name }) => name === container))
      throw new DomainError('not_found', `There is no container named "${container}".`);
    const written = this.written.get(container) ?? '';
    const all = written === '' ? [] : written.trimEnd().split('\n');
    return all
      .map((line, index) => `${toIso(index * 1_000)} ${line}\n`)
      .filter((line) => line >= since)
      .slice(-lines)
      .join('');
  }

  async definition(
    _host: RemoteHost,
    place: ProjectPlace,
    { signal }: { engine: EngineKind; signal: AbortSignal },
  ): Promise<ComposeDefinition> {
    this.#reach(signal);
    return readDefinition(this.files, place);
  }

  async definitionOf(
    _host: RemoteHost,
    place: ProjectPlace,
    files: readonly ProjectFile[],
    { signal }: { engine: EngineKind; signal: AbortSignal },
  ): Promise<ComposeDefinition> {
    this.#reach(signal);
    return readDefinition(this.#written(place, files), place);
  }

  async readFiles(
    _host: RemoteHost,
    directory: string,
    names: readonly string[],
    { signal }: { signal: AbortSignal },
  ): Promise<ReadonlyMap<string, string>> {
    this.#reach(signal);
    return new Map(
      names.flatMap((name) => {
        const content = this.files.get(`${directory}/${name}`);
        return content === undefined ? [] : [[name, content] as const];
      }),
    );
  }

  async stage(
    _host: RemoteHost,
    stagedId: string,
    files: readonly ProjectFile[],
    { signal }: { signal: AbortSignal },
  ): Promise<void> {
    this.#reach(signal);
    this.#staged.set(stagedId, files);
  }

  async projectData(
    _host: RemoteHost,
    { directory }: ProjectPlace,
    { signal }: { engine: EngineKind; signal: AbortSignal },
  ): Promise<ProjectData> {
    this.#reach(signal);
    return this.data.get(directory) ?? { mounts: [], checks: [], problem: null };
  }

  recovery(runId: string): ComposeWork {
    return { script: 'recovery', args: [runId] };
  }

  work(order: ComposeOrder, engine: EngineKind): ComposeWork {
    return { script: 'compose', args: [JSON.stringify(order), engine] };
  }

  outcome({ exitCode, result }: Ended): ComposeOutcome {
    const { projects, code, pruned } = JSON.parse(result || '{"projects":[],"code":null}') as Report;
    const reason = projects.find((each) => each.reason !== null)?.reason ?? `It ended with ${exitCode}.`;
    return {
      projects,
      failure: code === null ? null : new DomainError(code, reason),
      pruned: pruned ?? [],
      notes: [],
    };
  }

  perform({ args }: ComposeWork): Ended {
    const report = this.#perform(JSON.parse(args[0] ?? '') as ComposeOrder);
    return { exitCode: report.code === null ? 0 : 14, result: JSON.stringify(report) };
  }

  #perform(order: ComposeOrder): Report {
    switch (order.kind) {
      case 'patch':
        return this.#patch(order.projects, order.prune);
      case 'deploy':
        return this.#deploy(order);
      default: {
        for (const each of this.containers.of(order.place.directory, order.services)) {
          each.running = order.kind !== 'stop';
        }
        return one(order.place.directory, 'done', [], null);
      }
    }
  }

  #patch(projects: readonly ProjectPatch[], prune: boolean): Report {
    const drifted = projects.some(({ place, services }) =>
      services.some(({ change, imageId }) =>
        this.containers.of(place.directory, [change.service]).some((each) => each.imageId !== imageId),
      ),
    );
    if (drifted) return { projects: [], code: 'plan_drifted' };
    const before = new Set(this.containers.imageIds());
    const outcomes = projects.map(({ place, services }) =>
      this.#apply(
        place.directory,
        services.map(({ change }) => change),
        () => {
          for (const { change } of services) this.containers.recreate(place.directory, change.service);
        },
      ),
    );
    const pruned = prune ? [...before].filter((id) => this.containers.removeUnused(id)) : [];
    return { projects: outcomes, code: worstOf(outcomes), pruned };
  }

  #deploy(order: Extract<ComposeOrder, { kind: 'deploy' }>): Report {
    const { place, services, images, stagedId } = order;
    const formerFiles = new Map(this.files);
    const staged = stagedId === null ? [] : this.#staged.get(stagedId);
    if (staged === undefined) return one(place.directory, 'failed', [], 'Nothing was staged.');
    for (const [path, content] of this.#written(place, staged)) this.files.set(path, content);
    let definition: ComposeDefinition;
    try {
      definition = readDefinition(this.files, place);
    } catch (error) {
      this.#restore(formerFiles);
      return one(place.directory, 'failed', [], (error as Error).message, 'compose_invalid');
    }
    const outcome = this.#apply(place.directory, images, () => {
      for (const service of definition.services) {
        if (services.length > 0 && !services.includes(service.name)) continue;
        this.containers.up(place.directory, definition.project, service);
      }
      if (services.length === 0) this.containers.removeOthers(place.directory, definition);
    });
    if (outcome.state !== 'done') this.#restore(formerFiles);
    return { projects: [outcome], code: worstOf([outcome]) };
  }

  /** Pulls, does it, and takes it all back where something is not healthy afterwards. */
  #apply(directory: string, changes: readonly ImageChange[], act: () => void): ProjectOutcome {
    const former = this.containers.snapshot();
    for (const { image, to } of changes) {
      if (!this.containers.pull(image, to)) {
        former.restore();
        return { directory, state: 'failed', changes: [], reason: `${image} could not be pulled.` };
      }
    }
    act();
    const sick = this.containers.of(directory, []).find((each) => this.containers.isSick(each));
    if (!sick) return { directory, state: 'done', changes, reason: null };
    former.restore();
    return { directory, state: 'rolled_back', changes: [], reason: `${sick.service} became unhealthy.` };
  }

  #written(place: ProjectPlace, files: readonly ProjectFile[]): FakeHostFiles {
    return new Map([
      ...this.files,
      ...files.map(({ name, content }) => [`${place.directory}/${name}`, content] as const),
    ]);
  }

  #restore(files: FakeHostFiles): void {
    this.files.clear();
    for (const [path, content] of files) this.files.set(path, content);
  }

  #project(directory: string): ComposeProject {
    const mine: readonly FakeContainer[] = this.containers.of(directory, []);
    return {
      project: mine[0]?.project ?? null,
      directory,
      configFiles: mine.length > 0 ? [`${directory}/compose.yaml`] : [],
      services: mine.map((each) => ({
        name: each.service,
        image: each.image,
        imageId: each.imageId,
        containers: 1,
        running: each.running ? 1 : 0,
        health: each.running ? (this.containers.isSick(each) ? 'unhealthy' : 'healthy') : null,
        configHash: hashOf(each.image),
        composeVersion: '2.26.1',
      })),
      problem: null,
    };
  }

  #reach(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.failure) throw this.failure;
  }
}

const one = (
  directory: string,
  state: ProjectOutcome['state'],
  changes: readonly ImageChange[],
  reason: string | null,
  code: ErrorCode | null = state === 'done' ? null : 'deploy_failed',
): Report => ({ projects: [{ directory, state, changes, reason }], code });

const worstOf = (outcomes: readonly ProjectOutcome[]): ErrorCode | null =>
  outcomes.some(({ state }) => state !== 'done') ? 'deploy_failed' : null;
