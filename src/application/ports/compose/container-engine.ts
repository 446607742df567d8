import type { DomainError } from '../../../domain/base/errors.ts';
import type {
  ComposeDefinition,
  ComposeProject,
  ImageChange,
  ProjectFile,
  ProjectPlace,
} from '../../../domain/compose/compose.ts';
import type { ImageFacts } from '../../../domain/compose/image-facts.ts';
import type { UpdateCheck } from '../../../domain/compose/update-check.ts';
import type { StepReader } from '../../../domain/jobs/phases.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** Of a longer log, only the end is read. */
export const MAX_LOG_BYTES = 256 * 1024;

export type EngineKind = 'docker' | 'podman';

/** An image that some container of the host was made from. */
export interface HostImage {
  /** `sha256:…`, the digest of its configuration. */
  readonly id: string;
  /**
   * `NAME@sha256:…`: its reference in registries. For images of several architectures it is the digest of the index.
   */
  readonly repoDigests: readonly string[];
}

/** A container of the host, of a compose project or not. */
export interface HostContainer {
  readonly name: string;
  /** The reference that it was made from. */
  readonly image: string;
  readonly imageId: string;
  /** The Compose project's directory and the service, if it belongs to one. */
  readonly directory: string | null;
  readonly service: string | null;
}

export interface ContainerSurvey {
  readonly engine: EngineKind;
  readonly containers: readonly HostContainer[];
  /** By directory, each once. */
  readonly projects: readonly ComposeProject[];
  readonly images: ReadonlyMap<string, HostImage>;
  /** Remarks for people: what was omitted, and why. */
  readonly notes: readonly string[];
}

/** A registry's current digest of a reference, or why it is unknown, as one sentence without secrets. */
export type RegistryAnswer = { readonly digest: string } | { readonly digest: null; readonly reason: string };

/**
 * A new image for a running service: `change` says which, `imageId` is its current one. The work refuses with
 * `plan_drifted` if that has changed.
 */
export interface ServicePatch {
  readonly change: ImageChange;
  readonly imageId: string;
  /** How many containers it has; it keeps that many. */
  readonly containers: number;
}

export interface ProjectPatch {
  readonly place: ProjectPlace;
  readonly services: readonly ServicePatch[];
  /** Its data is saved first, and restored together with the images. */
  readonly guard?: ProjectGuard | undefined;
}

export interface ProjectGuard {
  /** Copied while the project is stopped: `DataMount.path`. */
  readonly paths: readonly string[];
  /** Have to pass once the containers are healthy, and while the project is observed. */
  readonly checks: readonly UpdateCheck[];
  readonly observeSeconds: number;
}

/** A directory or file of the host that containers of a project write to; it contains no other such one. */
export interface DataMount {
  /** Without links. */
  readonly path: string;
  readonly services: readonly string[];
  readonly bytes: number;
  /** Free space at the place of the copy. */
  readonly freeBytes: number;
}

export interface ProjectData {
  readonly mounts: readonly DataMount[];
  /** By the labels of its containers. */
  readonly checks: readonly UpdateCheck[];
  /** Why the data cannot be copied and restored as a whole, as one sentence; `null` if it can. */
  readonly problem: string | null;
}

export type ComposeOrder =
  /**
   * Updates services to other images, one project after another: pulls by digest, recreates only the containers of
   * these services, and waits for their health.
   */
  | { readonly kind: 'patch'; readonly projects: readonly ProjectPatch[]; readonly prune: boolean }
  /**
   * Makes the project match its files: writes what was staged, checks it, pulls, recreates what differs, creates what
   * is missing, removes containers of services that no longer exist, waits for their health. `services` limits it.
   */
  | {
      readonly kind: 'deploy';
      readonly place: ProjectPlace;
      readonly services: readonly string[];
      /** Pulled by these digests. Any other image is pulled if it is missing. */
      readonly images: readonly ImageChange[];
      /** The id given to `stage`; `null`: the files stay as they are. */
      readonly stagedId: string | null;
      readonly prune: boolean;
    }
  | {
      readonly kind: 'stop' | 'start' | 'restart';
      readonly place: ProjectPlace;
      readonly services: readonly string[];
    };

/** Work for `DetachedWork`: it continues on the host, whatever happens to the connection or the worker. */
export interface ComposeWork {
  readonly script: string;
  readonly args: readonly string[];
  /** For the lines that it prints. */
  readonly steps?: StepReader;
}

/** How one project fared. */
export interface ProjectOutcome {
  readonly directory: string;
  /**
   * `done`; `failed` (nothing to roll back: it did not start, or containers that were started or restarted are not
   * healthy); `rolled_back` (its containers and files are as before); `rollback_failed`: a user has to intervene.
   */
  readonly state: 'done' | 'failed' | 'rolled_back' | 'rollback_failed';
  /** Lasting changes; empty after a rollback. */
  readonly changes: readonly ImageChange[];
  /** Why it is not `done`, as one sentence; `null` if it is. */
  readonly reason: string | null;
}

export interface ComposeOutcome {
  readonly projects: readonly ProjectOutcome[];
  /**
   * `deploy_failed` (rolled back, or nothing was changed), `rollback_failed`, `plan_drifted` (nothing was changed),
   * `compose_invalid`, `host_tool_missing`, `host_command_failed`. `null` on success.
   */
  readonly failure: DomainError | null;
  /** Unused images that were removed. */
  readonly pruned: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The container engine of a host, docker or podman, with Compose. All commands run as root if the server is
 * configured so. Throws as `RemoteHost.run`; `host_tool_missing` if there is no engine or no Compose;
 * `host_command_failed` if the engine does not answer; and the signal's reason. Names that hosts report are data,
 * never part of a script.
 */
export interface ContainerEngine {
  /**
   * Containers and Compose projects: by the labels of containers (not those of images, which anyone can set), and in
   * the given directories and their direct subdirectories. Changes nothing.
   */
  survey(
    host: RemoteHost,
    options: { readonly directories: readonly string[]; readonly signal: AbortSignal },
  ): Promise<ContainerSurvey>;
  /**
   * Asks registries for the current digests of these references, through the host's engine, with the host's
   * credentials. A registry that does not answer is a valid result. At most 1,000 references; pulls nothing.
   */
  registryDigests(
    host: RemoteHost,
    references: readonly string[],
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, RegistryAnswer>>;
  /**
   * What images say about themselves: local ones by id, those in registries as `NAME@DIGEST`. Images that cannot be
   * read, and more than 50, are left out. Pulls nothing.
   */
  imageFacts(
    host: RemoteHost,
    images: readonly string[],
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, ImageFacts>>;
  /** Reads a project's files as compose does. Throws `compose_invalid` with compose's words. Changes nothing. */
  definition(
    host: RemoteHost,
    place: ProjectPlace,
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ComposeDefinition>;
  /**
   * The same for files that do not exist yet (combined with existing files of other names), as if they were in the
   * project's directory; removes its temporary files. Returns no config hashes.
   */
  definitionOf(
    host: RemoteHost,
    place: ProjectPlace,
    files: readonly ProjectFile[],
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ComposeDefinition>;
  /** Files of a project as they are, by name; those that are not there are left out. At most `MAX_FILE_BYTES` each. */
  readFiles(
    host: RemoteHost,
    directory: string,
    names: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * The last lines that a container has written, from both of its streams, oldest first: at most `lines`, and
   * `MAX_LOG_BYTES`, each after its time in RFC 3339. `since`: only lines of this time and later. Throws `not_found` if
   * there is no such container.
   */
  logs(
    host: RemoteHost,
    container: string,
    options: {
      readonly engine: EngineKind;
      readonly lines: number;
      readonly since?: string;
      readonly signal: AbortSignal;
    },
  ): Promise<string>;
  /**
   * Stores files on the host, readable only by root, for a `deploy` with this `stagedId` (lower-case letters, digits,
   * "-"; the run's id is suitable). The same id again replaces them. Files that are never deployed are deleted after
   * a week.
   */
  stage(
    host: RemoteHost,
    stagedId: string,
    files: readonly ProjectFile[],
    options: { readonly signal: AbortSignal },
  ): Promise<void>;
  /** What a project's containers write to. Changes nothing. */
  projectData(
    host: RemoteHost,
    place: ProjectPlace,
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ProjectData>;
  /**
   * The work of an order. It waits for health as long as the health checks allow, at least one minute and at most
   * fifteen; containers without a health check have to stay up for ten seconds. Unhealthy services are rolled back:
   * previous files, images and containers; of a guarded project also the data, byte for byte. Stopped services stay stopped except with `deploy`, `start` and `restart`.
   * Throws `invalid_input` for invalid Compose names.
   */
  work(order: ComposeOrder, engine: EngineKind): ComposeWork;
  /**
   * After a `patch` that died or was interrupted by a reboot, `runId`: ends what it left running, and rolls a guarded
   * project back. Ends with `work_not_started` if no
   * project was being updated with a guard.
   */
  recovery(runId: string): ComposeWork;
  /** Reads that work's result. */
  outcome(ended: { readonly exitCode: number; readonly result: string }): ComposeOutcome;
}
