import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_MEMBERS } from '../../../src/domain/automation/batch.ts';
import { describeWith } from '../../support/capabilities.ts';
import { freshMariaDb } from '../../support/mariadb.ts';
import { isBackedUp, Night } from '../../support/night.ts';
import type { Latency } from '../../support/simulated-hosts.ts';

const SERVERS = 120;
const isDead = (id: number): boolean => id % 50 === 7;
const latencyOf = (id: number): Latency => {
  const ms = 1 + (id % 7);
  return { connect: ms, facts: ms, check: ms, both: ms, state: 0, backup: ms, isDead: isDead(id) };
};

function wholeNight(freshUrl: () => Promise<{ url: string | null; drop: () => Promise<void> }>): void {
  it(`gives each of ${SERVERS} servers its check and its backup once, and ends`, async () => {
    const { url, drop } = await freshUrl();
    const dataDir = await mkdtemp(join(tmpdir(), 'drover-night-'));
    const night = await Night.prepare({ url, dataDir, servers: SERVERS, concurrency: 50, latencyOf });
    const { hosts, database } = night;
    try {
      const batches = await night.run();
      const all = Array.from({ length: SERVERS }, (_, index) => index + 1);
      const alive = all.filter((id) => !isDead(id));
      const counts = Object.fromEntries(batches.map((batch) => [batch.jobType, batch.counts]));
      expect(counts).toEqual({
        os_update_check: { ...NO_MEMBERS, success: alive.length, failed: SERVERS - alive.length },
        backup: {
          ...NO_MEMBERS,
          success: alive.filter(isBackedUp).length,
          failed: all.filter((id) => isDead(id) && isBackedUp(id)).length,
          skipped: all.filter((id) => !isBackedUp(id)).length,
        },
      });
      // the hosts' counters
      expect(hosts.refreshed).toEqual(new Map(alive.map((id) => [id, 1])));
      expect(hosts.backedUp).toEqual(new Map(alive.filter(isBackedUp).map((id) => [id, 1])));
      const jobs: { job_type: string; server_id: number }[] = await database
        .knex('jobs')
        .whereIn('status', ['success', 'failed'])
        .whereNull('lane_key')
        .whereNotNull('finished_at')
        .orderBy(['job_type', 'server_id'])
        .select('job_type', 'server_id');
      expect(jobs).toEqual([
        ...all.filter(isBackedUp).map((id) => ({ job_type: 'backup', server_id: id })),
        ...all.map((id) => ({ job_type: 'os_update_check', server_id: id })),
      ]);
      expect(await database.knex('jobs').count({ n: '*' }).first()).toEqual({ n: jobs.length });
      expect(await database.knex('snapshots').count({ n: '*' }).first()).toEqual({
        n: alive.filter(isBackedUp).length,
      });
      expect(night.complaints).toEqual([]);
    } finally {
      await night.stop();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
}

describe('a night of the whole fleet on SQLite', () =>
  wholeNight(async () => ({ url: null, drop: async () => {} })));
describeWith('mariadb', 'a night of the whole fleet on MariaDB', () => wholeNight(freshMariaDb));
