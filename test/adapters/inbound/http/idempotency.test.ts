import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TriggerJob } from '../../../../src/application/jobs/trigger-job.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import { type ApiFixture, type Ask, openApiFixture } from './api-fixture.ts';

type Given = Parameters<TriggerJob['execute']>;

let fixture: ApiFixture;
let token: string;
beforeEach(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs']);
});
afterEach(() => fixture.close());

const JOBS = '/api/v1/servers/1/jobs';
const BACKUP = { job_type: 'backup' };

const post = (key: string | string[], json: unknown, over: Ask & { path?: string } = {}) =>
  fixture.request(over.path ?? JOBS, {
    token,
    method: 'POST',
    json,
    ...over,
    headers: { 'idempotency-key': key, ...over.headers },
  });
const jobs = async (): Promise<number> => (await fixture.request('/api/v1/jobs', { token })).json.total;

describe('a POST with an Idempotency-Key', () => {
  it('is done once and answered alike each time', async () => {
    const first = await post('k-1', BACKUP);
    expect(first.status).toBe(202);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    // Written differently, with defaults spelled out, it is the same request.
    for (const body of ['{ "job_type" : "backup" }', '{"dry_run":false,"job_type":"backup"}']) {
      const again = await post('k-1', undefined, { body });
      expect(again).toMatchObject({ status: 202, text: first.text });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    }
    expect(await jobs()).toBe(1);
  });

  it('gives a refusal again that was a decision, also when things have changed since', async () => {
    const { json } = await post('k-1', BACKUP);
    const refused = await post('k-2', BACKUP);
    expect(refused).toMatchObject({ status: 409, json: { code: 'job_already_active' } });
    await fixture.request(`/api/v1/jobs/${json.job_id}/cancel`, { token, method: 'POST' });
    const again = await post('k-2', BACKUP);
    expect(again).toMatchObject({ status: 409, text: refused.text });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await post('k-3', BACKUP)).toMatchObject({ status: 202 });
  });

  it('is refused where the key was used for something else', async () => {
    await post('k-1', BACKUP);
    const other = await post('k-1', { job_type: 'retention' });
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    expect(await jobs()).toBe(1);
  });

  it('is another request on another path, for another token, and a day later', async () => {
    const { json } = await post('k-1', BACKUP);
    expect(await post('k-1', BACKUP, { path: '/api/v1/servers/2/jobs' })).toMatchObject({
      json: { code: 'feature_disabled' },
    });
    const cancelled = await post('k-1', {}, { path: `/api/v1/jobs/${json.job_id}/cancel` });
    expect(cancelled).toMatchObject({ status: 202, json: { status: 'cancelled' } });
    const others = await fixture.token(['read', 'jobs']);
    const second = await post('k-1', BACKUP, { token: others });
    expect(second).toMatchObject({ status: 202 });
    expect(second.json.job_id).not.toBe(json.job_id);
    await fixture.clock.advance(DAY);
    expect(await post('k-1', BACKUP)).toMatchObject({
      status: 409,
      json: { job: { id: second.json.job_id } },
    });
  });

  it('may be sent again when it was wrong, or the token was', async () => {
    expect(await post('k-1', { job_type: 'everything' })).toMatchObject({ status: 422 });
    expect(await post('k-1', { job_type: 'backup', os_steps: ['update'] })).toMatchObject({
      status: 422,
      json: { code: 'invalid_input' },
    });
    const limited = await fixture.token(['jobs', 'feature:os']);
    for (let time = 0; time < 2; time += 1) {
      const refused = await post('k-1', BACKUP, { token: limited });
      expect(refused).toMatchObject({ status: 403, json: { code: 'feature_not_allowed' } });
      expect(refused.headers.get('idempotency-replayed')).toBeNull();
    }
    expect(await post('k-1', BACKUP, { token: 'drv_wrong' })).toMatchObject({ status: 401 });
    expect(await post('k-1', BACKUP)).toMatchObject({ status: 202 });
  });

  it('may be sent again when it failed inside', async () => {
    let broken = true;
    const triggerJob = fixture.useCases.get(TriggerJob);
    await fixture.close();
    fixture = await openApiFixture({
      stores: fixture.stores,
      useCases: [
        [
          TriggerJob,
          {
            execute: (...given: Given) =>
              broken ? Promise.reject(new Error('a fault of ours')) : triggerJob.execute(...given),
          },
        ],
      ],
    });
    expect(await post('k-1', BACKUP)).toMatchObject({ status: 500, json: { code: 'internal' } });
    broken = false;
    expect(await post('k-1', BACKUP)).toMatchObject({ status: 202 });
  });

  it('waits for the first one, and says how long', async () => {
    let release = (): void => {};
    let begun = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const triggerJob = fixture.useCases.get(TriggerJob);
    await fixture.close();
    fixture = await openApiFixture({
      stores: fixture.stores,
      useCases: [
        [
          TriggerJob,
          { execute: async (...given: Given) => (begun(), await gate, triggerJob.execute(...given)) },
        ],
      ],
    });
    const first = post('k-1', BACKUP);
    await running;
    const second = await post('k-1', BACKUP);
    expect(second).toMatchObject({ status: 409, json: { code: 'idempotency_key_in_use' } });
    expect(second.headers.get('retry-after')).toBe('1');
    release();
    const { text } = await first;
    expect(await post('k-1', BACKUP)).toMatchObject({ status: 202, text });
  });

  it('needs its scope for the reply, too', async () => {
    await post('k-1', BACKUP);
    const [stored] = (await fixture.stores.tokens.list({ limit: 1, offset: 0 })).items;
    if (!stored) throw new Error('no token');
    await fixture.stores.tokens.change(stored.id, { ...stored, scopes: ['read'] }, () => ({}));
    await fixture.clock.advance(10_000);
    expect(await post('k-1', BACKUP)).toMatchObject({ status: 403, json: { code: 'scope_missing' } });
  });

  it.each<[string | string[], string]>([
    ['', 'is empty'],
    ['x'.repeat(256), 'is too long'],
    ['a\tb', 'has a control character'],
    ['ключ', 'is not ASCII'],
    [['a', 'b'], 'is there twice'],
    [['a', 'a'], 'is there twice alike'],
  ])('is refused where the key %j %s', async (key) => {
    const given = Array.isArray(key) ? key : Buffer.from(key).toString('latin1');
    const reply = await post(given, BACKUP);
    expect(reply).toMatchObject({ status: 422, json: { errors: [{ path: 'Idempotency-Key' }] } });
    expect(await jobs()).toBe(0);
  });

  it.each(['x', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a b~!'])(
    'takes the key %s',
    async (key) => {
      const first = await post(key, BACKUP);
      expect(first.status).toBe(202);
      expect(await post(key, BACKUP)).toMatchObject({ status: 202, text: first.text });
    },
  );
});
