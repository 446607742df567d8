import type { AptMirror } from '../../test/fleet/apt-mirror.ts';
import type { FleetHost } from '../../test/fleet/host.ts';

/** The hosts' changes before a question. */
export interface Change {
  readonly name: string;
  make(hosts: readonly FleetHost[]): Promise<unknown>;
}

export const NOTHING: Change = { name: 'nothing changed', make: () => Promise.resolve() };
export const PACKAGES: Change = {
  name: 'packages changed',
  make: (hosts) => Promise.all(hosts.map((host) => host.exec('touch /var/lib/dpkg/status'))),
};
export const newSources = (mirror: AptMirror): Change => ({
  name: 'sources changed',
  make: () => {
    mirror.publish(mirror.edition === 'v2' ? 'v3' : 'v2');
    return Promise.resolve();
  },
});
