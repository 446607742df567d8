import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { HOUR } from '../../src/domain/base/instant.ts';
import { requestJob } from '../../src/domain/jobs/job.ts';
import { bundled } from '../support/bundled.ts';
import { describeWith } from '../support/capabilities.ts';
import { type MakeDatabase, mariaDbDatabase, sqliteDatabase } from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { sqlStores } from '../support/sql-stores.ts';
import { AT, addServer, noRecord } from '../support/stores-subject.ts';

/**
 * Two users approve, one rejects, the request expires, and the requester cancels it. Cancelling an approved one ends
 * the job, too.
 */
const WAYS = ['approve', 'approve', 'refuse', 'expire', 'cancel'] as const;
/** The start time of a process here, with a margin. */
const HEAD_START_MS = 3_000;

const script = await bundled(new URL('./approvals-child.ts', import.meta.url));

function races(makeDatabase: MakeDatabase): void {
  it('decide each request once, with any number of concurrent deciders', async () => {
    const made = await makeDatabase();
    onTestFinished(made.drop);
    const stores = sqlStores(made.database);
    const count = rounds(30, 1_000);
    for (let index = 0; index < count; index += 1) {
      const server = { id: await addServer(stores, `host-${index}`), name: `host-${index}` };
      const requester = { kind: 'token', id: index, name: 'agent', address: null, label: 'agent' } as const;
      const asked = requestJob({
        server,
        type: 'backup',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: 'agent',
        scheduled: false,
        approval: { requester, expiresAt: AT + HOUR },
        at: AT,
      });
      await stores.jobs.enqueue(asked, noRecord);
    }
    const startAt = Date.now() + HEAD_START_MS;
    const children = await Promise.all(
      WAYS.map(async (way) => {
        const argv = [made.url ?? '', made.dataDir, way, String(count), String(startAt)];
        const { stdout } = await promisify(execFile)(process.execPath, [script, ...argv]);
        return { way, won: z.array(z.number()).parse(JSON.parse(stdout)) };
      }),
    );
    const { items } = await stores.approvals.list({}, { limit: count, offset: 0 });
    expect(items).toHaveLength(count);
    for (const { id, jobId, state } of items) {
      const decided = children.filter(({ way, won }) => way !== 'cancel' && won.includes(id));
      const cancelled = children.some(({ way, won }) => way === 'cancel' && won.includes(id));
      expect([id, decided.length]).toEqual([id, state === 'withdrawn' ? 0 : 1]);
      const ways = { approved: 'approve', refused: 'refuse', expired: 'expire' } as const;
      if (state === 'waiting') throw new Error(`nobody decided on ${id}`);
      if (state === 'withdrawn') expect(cancelled).toBe(true);
      else expect(decided[0]?.way).toBe(ways[state]);
      const job = await stores.jobs.find(jobId ?? 0);
      expect([id, job?.status]).toEqual([id, state === 'approved' && !cancelled ? 'pending' : 'cancelled']);
    }
    const { audit } = await stores.record();
    expect(audit).toHaveLength(children.reduce((sum, { won }) => sum + won.length, 0));
  });
}

describe('races for approvals on SQLite', () => races(sqliteDatabase));
describeWith('mariadb', 'races for approvals on MariaDB', () => races(mariaDbDatabase));
