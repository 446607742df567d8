import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { ResourceClient } from '../support/resource-client.ts';
import { FleetHost } from './host.ts';
import { HostRecord } from './host-record.ts';

/** Starting the fleet and waiting for another file's host, in milliseconds. */
const PATIENCE_MS = 600_000;

/**
 * Lends the calling test file a separate host, as if new, until the file ends. The first request of a run starts the
 * fleet.
 *
 * const host = useHost();
 * it('…', async () => { await host().exec('uname -a'); });
 */
export function useHost(): () => FleetHost {
  return only(useHosts(1));
}

/** The same for several hosts, at most the four that a run has. */
export function useHosts(count: number): () => readonly FleetHost[] {
  return useLeased('lease-hosts', count);
}

/** A separate fleet with as many hosts as the file wants. */
export function useFleet(count: number): () => readonly FleetHost[] {
  return useLeased('start-fleet', count);
}

/** A host with docker, compose and a registry on 127.0.0.1:5000, all of them empty. A run has three. */
export function useDockerHost(): () => FleetHost {
  return only(useLeased('lease-docker-hosts', 1));
}

/** A host that systemd booted, with podman, Compose and such a registry, all of them empty. A run has one. */
export function usePodmanHost(): () => FleetHost {
  return only(useLeased('lease-podman-hosts', 1));
}

function only(hosts: () => readonly FleetHost[]): () => FleetHost {
  return () => {
    const [host] = hosts();
    if (!host) throw new Error('the host is there once beforeAll has run');
    return host;
  };
}

type Pool = 'lease-hosts' | 'lease-docker-hosts' | 'lease-podman-hosts' | 'start-fleet';

function useLeased(fleet: Pool, count: number): () => readonly FleetHost[] {
  let client: ResourceClient | undefined;
  let hosts: readonly FleetHost[] = [];
  beforeAll(async () => {
    const resources = new ResourceClient();
    client = resources;
    const records = await resources.ask(fleet, z.array(HostRecord), count);
    const power = {
      on: async (host: HostRecord) => void (await resources.ask('switch-on', z.null(), host)),
      reset: async (host: HostRecord) => void (await resources.ask('reset', z.null(), host)),
    };
    hosts = records.map((record) => new FleetHost(record, power));
  }, PATIENCE_MS);
  afterAll(() => client?.close());
  return () => hosts;
}
