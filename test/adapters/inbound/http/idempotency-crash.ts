import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../../../src/application/ports/base/idempotency-store.ts';
import type { MakeDatabase, TestDatabase } from '../../../support/databases.ts';
import { sqlStores } from '../../../support/sql-stores.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const gone = (): Promise<never> => Promise.reject(new Error('the process is gone'));

/** For a process that dies when the requested work is done: it does nothing after that. */
const dying = (requests: IdempotencyStore): IdempotencyStore => ({
  begin: (...given) => requests.begin(...given),
  renew: gone,
  answer: gone,
  giveUp: gone,
  prune: gone,
});

const BOUNDS = { job_type: 'os_update_check', selector: { ids: [1] } };

/** Requests whose answers are lost with the process that did their work, and that are sent again to another one. */
export function idempotencyCrash(name: string, makeDatabase: MakeDatabase): void {
  describe(`a request whose process dies after its change, before its answer: ${name}`, () => {
    let made: TestDatabase;
    let first: ApiFixture;
    let other: ApiFixture;
    let token: string;
    let keys = 0;
    beforeAll(async () => {
      made = await makeDatabase();
      const stores = sqlStores(made.database);
      first = await openApiFixture({ stores: { ...stores, requests: dying(stores.requests) } });
      other = await openApiFixture({ stores: sqlStores(made.another()) });
      token = await first.token(['read', 'jobs']);
    });
    afterAll(async () => {
      await first?.close();
      await other?.close();
      await made?.drop();
    });

    const post = (fixture: ApiFixture, path: string, key: string, json: object) =>
      fixture.request(`/api/v1${path}`, {
        method: 'POST',
        token,
        json,
        headers: { 'idempotency-key': key },
      });

    /** Sends it, runs something else, and sends it again. Returns the answer. */
    async function twice(path: string, json: object, meanwhile: (reply: never) => unknown = () => undefined) {
      keys += 1;
      const key = `k-${keys}`;
      const lost = await post(first, path, key, json);
      expect(lost.status).toBeOneOf([201, 202]);
      await meanwhile(lost.json as never);
      const again = await post(other, path, key, json);
      expect(again).toMatchObject({ status: lost.status, text: lost.text });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      return lost.json;
    }

    const cancel = async ({ job_id }: { readonly job_id: number }): Promise<void> => {
      expect(await post(other, `/jobs/${job_id}/cancel`, 'end', {})).toMatchObject({ status: 202 });
    };
    const count = async (of: string): Promise<number> =>
      (await other.request(`/api/v1/${of}`, { token })).json.total;

    it('has started one job, though that has ended since', async () => {
      await twice('/servers/1/jobs', { job_type: 'backup' }, cancel);
      expect(await count('jobs')).toBe(1);
    });

    it('has started one batch', async () => {
      const { batch_id } = await twice('/jobs', BOUNDS);
      expect(await count('batches')).toBe(1);
      await twice(`/batches/${batch_id}/cancel`, {});
    });

    it('has cancelled what it was to cancel', async () => {
      const started = await post(other, '/servers/1/jobs', 'to cancel', { job_type: 'retention' });
      expect(await twice(`/jobs/${started.json.job_id}/cancel`, {})).toMatchObject({ status: 'cancelled' });
    });

    it('has made one schedule, and run it once', async () => {
      const cron = { cron: '30 3 * * *', time_zone: 'UTC' };
      const schedule = await twice('/schedules', { name: 'nightly', ...BOUNDS, ...cron });
      const before = await count('jobs');
      await twice(`/schedules/${schedule.id}/run`, {}, cancel);
      expect(await count('jobs')).toBe(before + 1);
      const many = await twice('/schedules', {
        ...BOUNDS,
        ...cron,
        name: 'many',
        selector: { ids: [1, 2] },
      });
      await twice(`/schedules/${many.id}/run`, {});
      expect(await count('batches')).toBe(2);
    });
  });

  describe(`a request that was taken over by another process: ${name}`, () => {
    it('changes nothing if it wakes up late', async () => {
      const made = await makeDatabase();
      const stores = sqlStores(made.database);
      let wake = (): void => {};
      const asleep = new Promise<void>((resolve) => {
        wake = resolve;
      });
      // its lease has run out before it goes on
      const paused = await openApiFixture({
        stores: {
          ...stores,
          requests: {
            ...dying(stores.requests),
            begin: async (request, owner) => {
              const begun = await stores.requests.begin(request, owner, 0, 1_000_000);
              await asleep;
              return begun;
            },
          },
        },
      });
      const other = await openApiFixture({ stores: sqlStores(made.another()) });
      const token = await paused.token(['read', 'jobs']);
      const ask = {
        method: 'POST',
        token,
        json: { job_type: 'backup' },
        headers: { 'idempotency-key': 'k' },
      };
      const late = paused.request('/api/v1/servers/1/jobs', ask);
      const row = () => made.database.knex('idempotent_requests').first('id');
      while (!(await row())) await new Promise(setImmediate);
      const { json, text } = await other.request('/api/v1/servers/1/jobs', ask);
      await other.request(`/api/v1/jobs/${json.job_id}/cancel`, { method: 'POST', token });
      wake();
      expect(await late).toMatchObject({ status: 409, json: { code: 'idempotency_key_in_use' } });
      expect(await other.request('/api/v1/servers/1/jobs', ask)).toMatchObject({ status: 202, text });
      expect((await other.request('/api/v1/jobs', { token })).json.total).toBe(1);
      await paused.close();
      await other.close();
      await made.drop();
    });
  });
}
