import { DomainError } from '../../../domain/base/errors.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** A protected place as a host sees it: an absolute path with no link in it. */
export interface ProtectedView {
  readonly path: string;
  /** For people: its contents. */
  readonly what: string;
}

/** How paths of a host relate to the service's own files. */
export interface ProtectedSurvey {
  /** The first of the paths that is a protected place or lies in one; `null`: none does. */
  readonly inside: ProtectedView | null;
  /** Protected places below the paths: of which path, and how it goes on from there. */
  readonly below: readonly (ProtectedView & { readonly asked: string; readonly rest: string })[];
  /** What engines exclude there, wherever they read: with the directory, or only its contents. */
  readonly leftOut: readonly { readonly path: string; readonly contentsOnly: boolean }[];
}

export interface ProtectedSurveyOptions {
  readonly signal: AbortSignal;
  /** Nothing is written there. */
  readonly toRead?: boolean;
  /** For the one source that is the service's own data: these are no obstacle, only the keys to them are. */
  readonly ownData?: boolean;
}

/**
 * The service's data directory, its program and the files with its secrets, on the machine that it runs on. A host is
 * that machine if it has the same kernel, however it is reached. Places are identified by device and inode, and by
 * the mount point of their file system, so symbolic links and bind mounts are recognized.
 */
export interface ProtectedPlaces {
  /**
   * Looks at paths of a host, which need not exist yet. Throws as `RemoteHost.run`, and `host_command_failed` if the
   * service's own machine does not answer.
   */
  survey(
    host: RemoteHost,
    paths: readonly string[],
    options: ProtectedSurveyOptions,
  ): Promise<ProtectedSurvey>;
}

/**
 * Throws `path_refused` if a directory that engines write to is one of the service's own, is inside one, or contains
 * one.
 */
export async function refuseProtected(
  places: ProtectedPlaces,
  host: RemoteHost,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const { inside, below } = await places.survey(host, [directory], { signal });
  if (inside) throw isProtected(inside);
  const [first] = below;
  if (first) throw holdsProtected(directory, first);
}

export const isProtected = ({ path, what }: NonNullable<ProtectedSurvey['inside']>): DomainError =>
  new DomainError(
    'path_refused',
    `"${path}" leads to ${what}, on the machine that Drover runs on, which Drover does not access. Choose a different path.`,
  );

export const holdsProtected = (
  directory: string,
  { path, what }: ProtectedSurvey['below'][number],
): DomainError =>
  new DomainError(
    'path_refused',
    `"${directory}" contains ${what} ("${path}"), on the machine that Drover runs on. Choose a different directory.`,
  );
