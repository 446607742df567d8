import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlJobStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-job-store.ts';
import type { MakeDatabase, TestDatabase } from '../../../support/databases.ts';
import { rounds } from '../../../support/rounds.ts';
import { sqlStores } from '../../../support/sql-stores.ts';
import { type Answer, type ApiFixture, openApiFixture } from './api-fixture.ts';

const AT_ONCE = 20;

/** Equal requests that reach two replicas of one database at the same time. */
export function idempotencyRaces(name: string, makeDatabase: MakeDatabase): void {
  describe(`equal requests at once: ${name}`, () => {
    let made: TestDatabase;
    let fixture: readonly ApiFixture[];
    let token: string;
    beforeAll(async () => {
      made = await makeDatabase();
      const open = (database = made.database) =>
        openApiFixture({ stores: { ...sqlStores(database), jobs: new SqlJobStore(database) } });
      const first = await open();
      fixture = [first, await open(made.another())];
      token = await first.token(['read', 'jobs']);
    });
    afterAll(async () => {
      for (const each of fixture) await each.close();
      await made.drop();
    });

    const send = async (index: number, path: string, key: string, json: object): Promise<Answer> => {
      const headers = { 'idempotency-key': key };
      const reply = await fixture[index % 2]?.request(path, { method: 'POST', token, json, headers });
      if (!reply) throw new Error('no fixture');
      return reply;
    };

    /** Like a client: retries as long as the first is running. */
    async function insist(index: number, path: string, key: string, json: object): Promise<Answer> {
      for (;;) {
        const reply = await send(index, path, key, json);
        if (reply.json.code !== 'idempotency_key_in_use') return reply;
        expect(reply.status).toBe(409);
        expect(reply.headers.get('retry-after')).toBe('1');
        await sleep(20);
      }
    }

    it('start exactly one job, and all get it', async () => {
      for (let round = 0; round < rounds(5, 200); round += 1) {
        const replies = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) =>
            insist(index, '/api/v1/servers/1/jobs', `round-${round}`, { job_type: 'backup' }),
          ),
        );
        expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        expect(replies[0]?.status).toBe(202);
        const firsts = replies.filter(({ headers }) => headers.get('idempotency-replayed') === null);
        expect(firsts).toHaveLength(1);
        const listed = await fixture[0]?.request('/api/v1/jobs', { token });
        expect(listed?.json.total).toBe(round + 1);
        const cancelled = await insist(0, `/api/v1/jobs/${replies[0]?.json.job_id}/cancel`, 'end', {});
        expect(cancelled.status).toBe(202);
      }
    });

    it('with other contents are distinguished: one of them is done', async () => {
      const replies = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) =>
          insist(index, '/api/v1/servers/1/jobs', 'mixed', { job_type: 'retention', dry_run: index % 4 < 2 }),
        ),
      );
      const done = replies.filter(({ status }) => status === 202);
      expect(new Set(done.map(({ json }) => json.job_id)).size).toBe(1);
      const others = replies.filter(({ json }) => json.code === 'idempotency_key_reused');
      expect(done.length + others.length).toBe(AT_ONCE);
      expect(others).toHaveLength(AT_ONCE / 2);
    });
  });
}
