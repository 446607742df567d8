import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Fleet, ownPower, startFleet } from '../fleet/fleet.ts';
import type { FleetHost } from '../fleet/host.ts';
import { HostPool } from '../fleet/host-pool.ts';
import { HostRecord } from '../fleet/host-record.ts';
import { startMariaDb } from './mariadb-server.ts';
import { type Handlers, SOCKET_VARIABLE, serveResources } from './resource-server.ts';

const FLEET_SIZE = 3;
const DOCKER_FLEET_SIZE = 2;
const PODMAN_FLEET_SIZE = 1;

/** Runs once around all integration files: shared resources start on first use and end here. */
export default async function setup(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'drover-resources-'));
  const socket = join(dir, 'socket');
  const mariaDb = lazily(() => startMariaDb());
  const fleet = lazily(() => startFleet({ hosts: FLEET_SIZE }));
  const dockerFleet = lazily(() => startFleet({ hosts: DOCKER_FLEET_SIZE, engine: 'docker' }));
  const podmanFleet = lazily(() => startFleet({ hosts: PODMAN_FLEET_SIZE, engine: 'podman' }));
  const close = await serveResources(socket, {
    mariadb: async () => (await mariaDb.get()).origin,
    ...fleetHandlers(fleet.get),
    'lease-docker-hosts': leaseHosts(dockerFleet.get),
    'lease-podman-hosts': leaseHosts(podmanFleet.get),
    'start-fleet': startFleetFor,
  });
  process.env[SOCKET_VARIABLE] = socket;
  return async () => {
    await close();
    await Promise.all([mariaDb.stop(), fleet.stop(), dockerFleet.stop(), podmanFleet.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
}

function fleetHandlers(fleet: () => Promise<Fleet>): Handlers {
  const power = ownPower(false);
  return {
    'lease-hosts': leaseHosts(fleet),
    'switch-on': async (host) => power.on(HostRecord.parse(host)).then(() => null),
    reset: async (host) => power.reset(HostRecord.parse(host)).then(() => null),
  };
}

/** Many hosts for one file, removed with it. */
const startFleetFor: Handlers[string] = async (count, releases) => {
  const fleet = await startFleet({ hosts: z.int().positive().parse(count) });
  releases.push(() => fleet.stop());
  return fleet.hosts.map((host) => host.record);
};

function leaseHosts(fleet: () => Promise<Fleet>): Handlers[string] {
  let pool: HostPool<FleetHost> | undefined;
  return async (count, releases) => {
    const running = await fleet();
    pool ??= new HostPool(running.hosts);
    const lease = pool.lease(z.int().positive().parse(count));
    releases.push(() => lease.release());
    const hosts = await lease.hosts;
    await Promise.all(hosts.map((host) => host.reset()));
    return hosts.map((host) => host.record);
  };
}

/** One start for all callers; nothing to stop without any. */
function lazily<T extends { stop(): Promise<void> }>(
  start: () => Promise<T>,
): { get: () => Promise<T>; stop: () => Promise<void> } {
  let started: Promise<T> | undefined;
  return {
    get: () => (started ??= start()),
    stop: async () => {
      const resource = await started?.catch(() => undefined);
      await resource?.stop();
    },
  };
}
