import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/adapters/bootstrap/config.ts';
import { type Core, openCore } from '../../src/adapters/bootstrap/core.ts';
import { type Loops, loopsOf } from '../../src/adapters/bootstrap/modules/loops.ts';
import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { PinoLogger } from '../../src/adapters/outbound/system/pino-logger.ts';
import { ManageSchedules } from '../../src/application/automation/manage-schedules.ts';
import { BackupEngines } from '../../src/application/ports/backups/backup-engine.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import type { Batch } from '../../src/domain/automation/batch.ts';
import { DEFAULT_RETENTION } from '../../src/domain/backups/retention-policy.ts';
import { MINUTE } from '../../src/domain/base/instant.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { addManyServers, chunksUpTo } from './many-servers.ts';
import { type Latency, SimulatedBackupEngine, SimulatedHosts } from './simulated-hosts.ts';

export interface NightOptions {
  /** `null`: SQLite in the data directory. */
  readonly url: string | null;
  readonly dataDir: string;
  readonly servers: number;
  /** Concurrent jobs, of both schedules together; each may have as many. */
  readonly concurrency: number;
  readonly latencyOf: (serverId: number) => Latency;
}

/** Of each ten servers one is not backed up, and one has backups on without a source. */
export const isBackedUp = (serverId: number): boolean => serverId % 10 > 1;
const wantsBackup = (serverId: number): boolean => serverId % 10 !== 0;

const TYPES = ['os_update_check', 'backup'] as const satisfies readonly JobType[];
const LOOK_EVERY_MS = 100;
const MAX_COMPLAINTS = 20;
const EXPECTED = /"level":"info"|started a new audit log chain/;

/**
 * A night of one replica of the real service, on a real database, with simulated hosts: a schedule for update checks
 * and one for backups, both of the whole fleet, which were due just before the service started.
 */
export class Night {
  readonly hosts: SimulatedHosts;
  readonly database: Database;
  /** The service's log from warnings up; the first few. */
  readonly complaints: readonly string[];
  readonly #core: Core;
  readonly #loops: Loops;

  private constructor(core: Core, hosts: SimulatedHosts, complaints: readonly string[]) {
    this.#core = core;
    this.#loops = loopsOf(core);
    this.hosts = hosts;
    this.complaints = complaints;
    this.database = core.parts.database;
  }

  static async prepare({ url, dataDir, servers, concurrency, latencyOf }: NightOptions): Promise<Night> {
    const env = {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_CONCURRENCY: String(concurrency),
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...(url === null ? {} : { SERVICE_DATABASE_URL: url }),
    };
    const hosts = new SimulatedHosts(latencyOf);
    const engines = new BackupEngines([new SimulatedBackupEngine(hosts)]);
    const complaints: string[] = [];
    const write = (line: string): void => {
      if (!EXPECTED.test(line) && complaints.length < MAX_COMPLAINTS) complaints.push(line);
    };
    const core = await openCore(
      readConfig(env, () => ''),
      PinoLogger.to({ write }, 'info'),
      { hosts: () => hosts, engines },
    );
    const night = new Night(core, hosts, complaints);
    await night.#addServers(servers);
    await night.#addSchedules(concurrency);
    return night;
  }

  /** Returns the batches of the schedules once both have ended. */
  async run(): Promise<readonly Batch[]> {
    this.#loops.start();
    const { batches } = this.#core.parts;
    for (;;) {
      const { items } = await batches.list({}, { limit: 10, offset: 0 });
      if (items.length === TYPES.length && items.every(({ finishedAt }) => finishedAt !== null)) return items;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    await this.#loops.stop();
    await this.#core.close();
  }

  async #addServers(count: number): Promise<void> {
    const { knex } = this.database;
    await addManyServers(this.#core, count, (id) => ({ feature_backup: Number(wantsBackup(id)) }));
    for (const ids of chunksUpTo(count)) {
      await knex('backup_sources').insert(ids.filter(isBackedUp).map((id) => sourceRow(id, Date.now())));
    }
  }

  async #addSchedules(concurrency: number): Promise<void> {
    const slot = Math.floor(Date.now() / MINUTE) * MINUTE;
    const at = new Date(slot);
    for (const jobType of TYPES) {
      const { id } = await this.#core.get(ManageSchedules).add(Actor.operator('night'), {
        name: jobType,
        selector: { all: true },
        cron: { expression: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`, timeZone: 'UTC' },
        jobType,
        params: {},
        bounds: { maxParallel: concurrency },
        jitterMs: 0,
        enabled: true,
      });
      // As if it had been written before that minute.
      await this.database
        .knex('schedules')
        .where({ id })
        .update({ handled_to: slot - 1, due_at: slot });
    }
  }
}

const sourceRow = (serverId: number, now: number): object => ({
  server_id: serverId,
  name: 'files',
  name_key: 'files',
  kind: 'files',
  paths: '["/srv"]',
  excludes: '[]',
  retention: JSON.stringify(DEFAULT_RETENTION),
  engine: 'rsync',
  created_at: now,
});
