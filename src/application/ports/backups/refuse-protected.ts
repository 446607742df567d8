import { DomainError } from '../../../domain/base/errors.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';
import type { ProtectedPlaces, ProtectedSurvey } from './protected-places.ts';

/** Throws `path_refused` if a directory that engines write to is one of the service's own, in one, or holds one. */
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
    `"${path}" leads to ${what}, on the machine that the service runs on; Drover keeps out of there. Choose another path.`,
  );

export const holdsProtected = (
  directory: string,
  { path, what }: ProtectedSurvey['below'][number],
): DomainError =>
  new DomainError(
    'path_refused',
    `"${directory}" holds ${what} ("${path}"), on the machine that the service runs on. Choose another directory.`,
  );
