import { DomainError } from '../../src/domain/base/errors.ts';
import { containerEngineContract } from '../contracts/container-engine.contract.ts';
import { readDefinition } from './fake-compose-host.ts';
import { FakeContainerEngine } from './fake-container-engine.ts';
import { FakeHost } from './fake-host.ts';

containerEngineContract('fake', async () => {
  let state = new FakeContainerEngine();
  const gone = new FakeHost('gone').session();
  /** The current state, whatever host is asked. */
  const engine = new Proxy(state, {
    get: (_target, key: keyof FakeContainerEngine) => {
      const value = state[key];
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        state.failure = args[0] === gone ? new DomainError('host_unreachable', 'It is gone.') : null;
        return (value as (...all: unknown[]) => unknown).apply(state, args);
      };
    },
  });
  return {
    kind: 'docker',
    engine,
    host: new FakeHost('here').session(),
    gone,
    image: (name) => `registry.test/${name}:1`,
    publish: async (reference, edition) =>
      state.containers.publish(reference, edition, { healthy: edition !== 'broken' }),
    write: async (path, content) => void state.files.set(path, content),
    read: async (path) => state.files.get(path) ?? '',
    up: async (directory) => {
      const definition = readDefinition(state.files, { project: null, directory, configFiles: [] });
      for (const each of definition.services) state.containers.up(directory, definition.project, each);
    },
    pose: async () => state.containers.pose('posing'),
    perform: async (work) => state.perform(work),
    reset: async () => {
      state = new FakeContainerEngine();
    },
    close: async () => undefined,
  };
});
