import { type KeptPlace } from '../../src/adapters/outbound/hosts/protection/kept-place.ts';
import { ServicePlaces } from '../../src/adapters/outbound/hosts/protection/service-places.ts';
import type { ProtectedPlaces } from '../../src/application/ports/backups/protected-places.ts';

/** A service whose data directory is the first; the others are its further places. */
export const placesOf = (dataDir: string, ...others: readonly KeptPlace[]): ServicePlaces =>
  new ServicePlaces({ dataDir, places: [{ path: dataDir, what: "the service's own data" }, ...others] });

/** Of a service on another machine. */
export const NO_PLACES: ProtectedPlaces = {
  survey: async () => ({ inside: null, below: [], leftOut: [] }),
};
