import { UNKNOWN_FACTS } from '../../src/domain/fleet/server.ts';
import { InMemoryJobs } from '../fakes/in-memory-jobs.ts';
import { InMemoryServerStore } from '../fakes/in-memory-server-store.ts';
import { InMemoryWorld } from '../fakes/in-memory-world.ts';
import type { MakeJobSubject } from './job-subject.ts';
import { AT, newServer, noRecord } from './stores-subject.ts';

export const inMemoryJobs: MakeJobSubject = async ({ logLimits }) => {
  const world = new InMemoryWorld();
  let now = AT;
  world.now = () => now;
  const jobs = new InMemoryJobs(world, logLimits);
  const servers = new InMemoryServerStore(world);
  return {
    store: jobs,
    queue: jobs,
    addServer: async (name) => (await servers.add(newServer(name), AT, noRecord)).id,
    // Even one that still has jobs, which the store would refuse.
    removeServer: async (id) => void world.servers.delete(id),
    factsOf: async (id) => world.servers.get(id)?.facts ?? UNKNOWN_FACTS,
    record: async () => ({
      audit: world.record.actions,
      events: world.record.events.map((event) => `${event.type} ${event.jobId}`),
    }),
    passTime: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
};
