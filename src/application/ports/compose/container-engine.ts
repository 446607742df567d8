import type { DomainError } from '../../../domain/base/errors.ts';
import type {
  ComposeDefinition,
  ComposeProject,
  ImageChange,
  ProjectFile,
  ProjectPlace,
} from '../../../domain/compose/compose.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

export type EngineKind = 'docker' | 'podman';

/** An image that some container of the host was made from. */
export interface HostImage {
  /** `sha256:…`, the digest of its configuration. */
  readonly id: string;
  /** `NAME@sha256:…`: what registries call it. For images of several architectures it is the digest of the index. */
  readonly repoDigests: readonly string[];
}

/** A container of the host, of a compose project or not. */
export interface HostContainer {
  readonly name: string;
  /** The reference that it was made from. */
  readonly image: string;
  readonly imageId: string;
  /** The compose project's directory and the service, where it belongs to one. */
  readonly directory: string | null;
  readonly service: string | null;
}

export interface ContainerSurvey {
  readonly engine: EngineKind;
  readonly containers: readonly HostContainer[];
  /** By directory, each once. */
  readonly projects: readonly ComposeProject[];
  readonly images: ReadonlyMap<string, HostImage>;
  /** What to tell people besides: what was left out, and why. */
  readonly notes: readonly string[];
}

/** What a registry says that a reference is now: a digest, or why none could be had, as one sentence without secrets. */
export type RegistryAnswer = { readonly digest: string } | { readonly digest: null; readonly reason: string };

/**
 * Another image for a service that runs: `change` says which, `imageId` what it runs now. The work refuses with
 * `plan_drifted` where that is not so any more.
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
}

export type ComposeOrder =
  /**
   * Gives services other images, one project after the other: pulls by digest, makes the containers of these services
   * anew and no others, waits for their health.
   */
  | { readonly kind: 'patch'; readonly projects: readonly ProjectPatch[]; readonly prune: boolean }
  /**
   * Makes the project what its files say: writes what was staged, checks it, pulls, makes what differs anew (or what is
   * missing), removes containers of services that are not there any more, waits for their health. `services` limits it.
   */
  | {
      readonly kind: 'deploy';
      readonly place: ProjectPlace;
      readonly services: readonly string[];
      /** Pulled by these digests. Any other image is pulled where it is missing. */
      readonly images: readonly ImageChange[];
      /** What `stage` was given; `null`: the files stay as they are. */
      readonly stagedId: string | null;
      readonly prune: boolean;
    }
  | {
      readonly kind: 'stop' | 'start' | 'restart';
      readonly place: ProjectPlace;
      readonly services: readonly string[];
    };

/** Work for `DetachedWork`: it goes on by itself on the host, whatever becomes of the connection or the worker. */
export interface ComposeWork {
  readonly script: string;
  readonly args: readonly string[];
}

/** How one project fared. */
export interface ProjectOutcome {
  readonly directory: string;
  /**
   * `done`; `failed` (nothing had to be taken back: it was not begun, or what was started or restarted does not run
   * well); `rolled_back` (its containers run what they ran before, and its files are what they were);
   * `rollback_failed`: somebody has to look.
   */
  readonly state: 'done' | 'failed' | 'rolled_back' | 'rollback_failed';
  /** What was changed and stayed so; empty where it was rolled back. */
  readonly changes: readonly ImageChange[];
  /** Why it is not `done`, as one sentence; `null` where it is. */
  readonly reason: string | null;
}

export interface ComposeOutcome {
  readonly projects: readonly ProjectOutcome[];
  /**
   * `deploy_failed` (rolled back, or nothing was changed), `rollback_failed`, `plan_drifted` (nothing was changed),
   * `compose_invalid`, `host_tool_missing`, `host_command_failed`. `null` where all went well.
   */
  readonly failure: DomainError | null;
  /** Images that were removed since nothing uses them any more. */
  readonly pruned: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The container engine of a host, docker or podman, and compose on it. All commands run as root where the server says
 * so. Throws as `RemoteHost.run`; `host_tool_missing` where there is no engine or no compose; `host_command_failed` where
 * the engine does not answer; and the signal's reason. Names that hosts say are data: none is ever part of a script.
 */
export interface ContainerEngine {
  /**
   * What runs, and which compose projects there are: by the labels of containers (not by those of an image, which
   * anybody could have made), and in the given directories: each itself, and the directories right below it. Changes
   * nothing.
   */
  survey(
    host: RemoteHost,
    options: { readonly directories: readonly string[]; readonly signal: AbortSignal },
  ): Promise<ContainerSurvey>;
  /**
   * Asks registries what these references are now, as the host's engine reaches them, with the credentials that the
   * host has. A registry that does not answer is an answer too. At most 1,000 references; pulls nothing.
   */
  registryDigests(
    host: RemoteHost,
    references: readonly string[],
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, RegistryAnswer>>;
  /** Reads a project's files as compose does. Throws `compose_invalid` with compose's words. Changes nothing. */
  definition(
    host: RemoteHost,
    place: ProjectPlace,
    options: { readonly engine: EngineKind; readonly signal: AbortSignal },
  ): Promise<ComposeDefinition>;
  /**
   * The same for files that are not there yet (and with those that are and have no such name), as if they lay in the
   * project's directory; whatever it writes for that it removes again. Tells no config hashes.
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
   * Lays files by on the host, where only root reads them, for a `deploy` with this `stagedId` (lower-case letters,
   * digits, "-"; the run's id does). The same id again replaces them. What is never deployed goes after a week.
   */
  stage(
    host: RemoteHost,
    stagedId: string,
    files: readonly ProjectFile[],
    options: { readonly signal: AbortSignal },
  ): Promise<void>;
  /**
   * The work of an order. It waits for health as long as the health checks themselves allow, at least one minute and at
   * most fifteen; containers without a health check have to stay up for ten seconds. What does not become healthy is
   * rolled back: former files, former images, former containers. Stopped services stay stopped but by `deploy`,
   * `start` and `restart`. Throws `invalid_input` for names that compose could not have.
   */
  work(order: ComposeOrder, engine: EngineKind): ComposeWork;
  /** Reads what that work left. */
  outcome(ended: { readonly exitCode: number; readonly result: string }): ComposeOutcome;
}
