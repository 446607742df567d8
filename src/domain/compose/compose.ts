/** A compose project as a host knows it: what to tell compose so that it means this one. */
export interface ProjectPlace {
  /** The name that its containers carry; `null` where it has none yet, and compose decides. */
  readonly project: string | null;
  /** Absolute. It is what `source_filter` names, and paths in the files are relative to it. */
  readonly directory: string;
  /** Absolute, in the order in which compose reads them. None: what compose finds in the directory. */
  readonly configFiles: readonly string[];
}

export type ContainerHealth = 'healthy' | 'starting' | 'unhealthy';

/** What a project's containers say about one of its services. */
export interface RunningService {
  readonly name: string;
  /** The reference that its containers were made from, such as `registry.example/app:1`. */
  readonly image: string;
  /** `sha256:…` of the image that they run; `null` where they do not all run the same one. */
  readonly imageId: string | null;
  /** How many containers there are, and how many of them run. */
  readonly containers: number;
  readonly running: number;
  /** The worst of those that run; `null` where the image has no health check. */
  readonly health: ContainerHealth | null;
  /** What compose made them from, as a digest, and by which version of it. */
  readonly configHash: string | null;
  readonly composeVersion: string | null;
}

export interface ComposeProject extends ProjectPlace {
  /** Those that have containers. */
  readonly services: readonly RunningService[];
  /** Why nothing can be done with it, as one sentence; `null`: it can be worked with. */
  readonly problem: string | null;
}

/** One service as the project's files have it. */
export interface DefinedService {
  readonly name: string;
  /** `null` for one that is only built on the host. */
  readonly image: string | null;
  readonly builds: boolean;
  readonly configHash: string | null;
}

/** A project's files as compose understands them. */
export interface ComposeDefinition {
  readonly project: string;
  readonly services: readonly DefinedService[];
}

/** One service that gets another image. */
export interface ImageChange {
  /** The project's directory. */
  readonly directory: string;
  readonly service: string;
  /** The reference; it stays the same. */
  readonly image: string;
  /** The digest in the registry that the present image came by; `null` where none is known. */
  readonly from: string | null;
  /** The digest that the registry has for the reference now. */
  readonly to: string;
}

/** A file of a project that is to be written. */
export interface ProjectFile {
  /** Relative to the project's directory: `compose.yaml`, `conf/app.ini`. */
  readonly name: string;
  readonly content: string;
  /** Readable for its owner alone. */
  readonly secret: boolean;
}
