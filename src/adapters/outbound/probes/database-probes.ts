import type { Clock } from '../../../application/ports/base/clock.ts';
import type { DatabaseHealth } from '../../../application/ports/service/database-health.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import type { ReplicaStore } from '../../../application/ports/service/replica-store.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { fail, ok, warn } from './server-probe.ts';

/** A service shows that it lives every ten seconds. */
const SILENT_AFTER_MS = 60 * SECOND;
const SOME_SKEW_MS = 5 * SECOND;
const MUCH_SKEW_MS = 60 * SECOND;

/** Whether the database answers, and has the schema of this version. */
export const databaseProbe = (deps: {
  /** The database without any secret: `SQLite in /data/drover.sqlite`. */
  readonly label: string;
  readonly health: Pick<DatabaseHealth, 'ping'>;
  /** Names of the steps that its schema lacks. */
  readonly pendingMigrations: () => Promise<readonly string[]>;
  readonly remedy: string;
}): Probe => ({
  name: 'database',
  look: async () => {
    try {
      await deps.health.ping();
      const pending = await deps.pendingMigrations();
      if (pending.length === 0) return ok('database', `${deps.label} answers and is up to date.`);
      return warn({
        name: 'database',
        detail: `${deps.label} answers, but lacks ${pending.join(', ')}.`,
        remedy: 'npm start: the service brings it up to date',
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return fail({ name: 'database', detail: `${deps.label} cannot be used: ${why}`, remedy: deps.remedy });
    }
  },
});

/** Whether a service runs on the database; without one, jobs wait forever. */
export const serviceProbe = (replicas: Pick<ReplicaStore, 'list'>): Probe => ({
  name: 'service',
  look: async () => {
    const alive = (await replicas.list()).filter(({ seenAgoMs }) => seenAgoMs < SILENT_AFTER_MS);
    if (alive.length > 0) {
      const versions = [...new Set(alive.map(({ version }) => version))].join(', ');
      return ok('service', `${alive.length} running on this database (version ${versions}).`);
    }
    return warn({
      name: 'service',
      detail: 'No service runs on this database, so jobs wait.',
      remedy: 'npm start',
    });
  },
});

/** Whether this machine and the database agree on the time. */
export const clockProbe = (health: Pick<DatabaseHealth, 'clockOffsetMs'>, clock: Clock): Probe => ({
  name: 'clock',
  look: async () => {
    const offset = Math.abs(await health.clockOffsetMs(clock.now()));
    if (offset < SOME_SKEW_MS) return ok('clock', 'This machine and the database agree on the time.');
    const found = {
      name: 'clock',
      detail: `This machine and the database differ by ${Math.round(offset / SECOND)} s; expiry and times in lists are off by as much.`,
      remedy: 'synchronize both clocks, for example with systemd-timesyncd or chrony',
    };
    return offset >= MUCH_SKEW_MS ? fail(found) : warn(found);
  },
});
