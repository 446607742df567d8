import { expect } from 'vitest';
import type { SystemdHost } from '../fleet/systemd-host.ts';
import type { Service } from '../support/service.ts';

/** Takes a host that systemd boots into the fleet as the server `real`; returns its id. */
export async function addSystemdHost(service: Service, host: SystemdHost, features: string): Promise<number> {
  const key = ['key', 'import', 'systemd', host.privateKeyFile];
  expect((await service.cli(key)).code).toBe(0);
  const address = ['--host', host.address, '--port', String(host.port), '--user', 'root', '--key', 'systemd'];
  const trust = ['--host-key', host.hostKey.fingerprint, '--features', features];
  const added = await service.cli(['server', 'add', 'real', ...address, ...trust, '--json']);
  expect(added.code, added.stderr).toBe(0);
  return (added.json as { id: number }).id;
}
