/** A Compose project on a host: the arguments that make Compose select this one. */
export interface ProjectPlace {
  /** The name on its containers' labels; `null` if it has none yet, and Compose decides. */
  readonly project: string | null;
  /** Absolute. `source_filter` matches it, and paths in the files are relative to it. */
  readonly directory: string;
  /** Absolute, in the order in which Compose reads them. Empty: Compose's default files in the directory. */
  readonly configFiles: readonly string[];
}

export type ContainerHealth = 'healthy' | 'starting' | 'unhealthy';

/** One service, according to the project's containers. */
export interface RunningService {
  readonly name: string;
  /** The reference that its containers were made from, such as `registry.example/app:1`. */
  readonly image: string;
  /** `sha256:…` of the image that they run; `null` if they do not all run the same one. */
  readonly imageId: string | null;
  /** How many containers there are, and how many of them run. */
  readonly containers: number;
  readonly running: number;
  /** The worst of the running ones; `null` if the image has no health check. */
  readonly health: ContainerHealth | null;
  /** Compose's digest of the definition they were created from, and its version. */
  readonly configHash: string | null;
  readonly composeVersion: string | null;
}

export interface ComposeProject extends ProjectPlace {
  /** Those that have containers. */
  readonly services: readonly RunningService[];
  /** Why Drover cannot work with it, as one sentence; `null`: it can. */
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
  /** The digest of the current image in the registry; `null` if unknown. */
  readonly from: string | null;
  /** The digest that the registry has for the reference now. */
  readonly to: string;
}

/** A project file to write. */
export interface ProjectFile {
  /** Relative to the project's directory: `compose.yaml`, `conf/app.ini`. */
  readonly name: string;
  readonly content: string;
  /** Readable for its owner alone. */
  readonly secret: boolean;
}
