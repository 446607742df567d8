/** One thing that a job does, or would do, to the containers of a service. */
export interface ContainerChange {
  /**
   * `image`: recreated from a different image; `recreate`: recreated because its definition changed; `save`: its data is
   * saved first, and restored if the update fails.
   */
  readonly kind: 'save' | 'image' | 'create' | 'recreate' | 'remove' | 'start' | 'stop' | 'restart';
  /** The compose project's directory. */
  readonly directory: string;
  readonly service: string;
  readonly image: string | null;
  /** Digests in the registry, of an image that is known there. */
  readonly from: string | null;
  readonly to: string | null;
  /** What is saved. */
  readonly path?: string | undefined;
}

/** Two changes that bring about the same are the same. No part but the directory has a blank in it. */
export const containerChangeLine = ({
  kind,
  directory,
  service,
  image,
  from,
  to,
  path,
}: ContainerChange): string =>
  `${kind} ${service} ${image ?? '-'} ${from ?? '-'} ${to ?? '-'} ${directory}${path === undefined ? '' : `\n${path}`}`;

/** By project, then service: the same changes always make the same list. */
export const sortContainerChanges = (changes: readonly ContainerChange[]): ContainerChange[] =>
  changes.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));

const sortKey = (change: ContainerChange): string =>
  `${change.directory} ${change.service} ${containerChangeLine(change)}`;

/** Twelve digits are enough to distinguish two images. */
const short = (digest: string | null): string => digest?.slice(0, 'sha256:'.length + 12) ?? '(unknown)';

export const describeContainerChange = ({
  kind,
  directory,
  service,
  image,
  from,
  to,
  path,
}: ContainerChange): string => {
  if (kind === 'save') return `${directory} ${service}: save ${path}`;
  return kind === 'image'
    ? `${directory} ${service}: ${image} ${short(from)} -> ${short(to)}`
    : `${directory} ${service}: ${kind}`;
};

export function isContainerChange(value: unknown): value is ContainerChange {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, directory, service, ...rest } = value as Partial<Record<keyof ContainerChange, unknown>>;
  const isKnown = typeof kind === 'string' && KINDS.has(kind);
  const isNamed = typeof directory === 'string' && typeof service === 'string';
  const isText = [rest.image, rest.from, rest.to].every((each) => each === null || typeof each === 'string');
  const isPlace = rest.path === undefined || typeof rest.path === 'string';
  return isKnown && isNamed && isText && isPlace;
}

const KINDS: ReadonlySet<string> = new Set<ContainerChange['kind']>([
  'save',
  'image',
  'create',
  'recreate',
  'remove',
  'start',
  'stop',
  'restart',
]);
