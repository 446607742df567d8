import type { SshAccess } from '../../src/application/ports/fleet/remote-host.ts';
import type { FleetHost } from './host.ts';

/** How the product reaches a host of the fleet: as root, unless the changes say otherwise. */
export const accessTo = (host: FleetHost, changes: Partial<SshAccess> = {}): SshAccess => ({
  kind: 'ssh',
  serverId: 1,
  serverName: host.name,
  hostname: host.address,
  port: host.port,
  username: host.username,
  authentication: { kind: 'key', privateKey: host.privateKey },
  hostKey: host.hostKey,
  become: 'none',
  jump: null,
  ...changes,
});

/** `drover` is a plain user of every host who may use sudo. */
export const AS_DROVER = { username: 'drover', become: 'sudo' } as const;
