import { databaseHealthContract } from '../contracts/database-health.contract.ts';
import { FakeDatabaseHealth } from './fake-database-health.ts';

databaseHealthContract('a fake', async () => {
  const health = new FakeDatabaseHealth();
  return {
    health,
    now: Date.now,
    breakDatabase: async () => {
      health.answers = false;
    },
    close: async () => {},
  };
});
