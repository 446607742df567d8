import { NO_FEATURES, type Server, UNKNOWN_FACTS } from '../../src/domain/server.ts';
import { jobQueueContract } from '../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../contracts/job-store.contract.ts';
import { AT, type MakeJobSubject } from '../support/job-subject.ts';
import { InMemoryJobs } from './in-memory-jobs.ts';
import { InMemoryWorld } from './in-memory-world.ts';

const LOCAL: Omit<Server, 'id' | 'name'> = {
  address: {
    connection: 'local',
    hostname: 'localhost',
    sshPort: 22,
    sshUsername: '',
    sshKeyId: null,
    hostKey: null,
    become: 'none',
    jumpServerId: null,
  },
  tags: [],
  features: NO_FEATURES,
  jail: null,
  facts: UNKNOWN_FACTS,
  createdAt: AT,
  updatedAt: AT,
};

const inMemory: MakeJobSubject = async ({ logLimits }) => {
  const world = new InMemoryWorld();
  let now = AT;
  world.now = () => now;
  const jobs = new InMemoryJobs(world, logLimits);
  return {
    store: jobs,
    queue: jobs,
    addServer: async (name) => {
      const id = world.nextId('servers');
      world.servers.set(id, { ...LOCAL, id, name });
      return id;
    },
    removeServer: async (id) => void world.servers.delete(id),
    factsOf: async (id) => {
      const { lastBackupAt, osUpdatesCount, rebootPending } = world.servers.get(id)?.facts ?? UNKNOWN_FACTS;
      return { lastBackupAt, osUpdatesCount, rebootPending };
    },
    trail: async () => ({
      audit: world.trail.actions,
      events: world.trail.events.map((event) => `${event.type} ${event.jobId}`),
    }),
    passTime: async (ms) => {
      now += ms;
    },
    close: async () => {},
  };
};

jobStoreContract('in memory', inMemory);
jobQueueContract('in memory', inMemory);
