import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { environmentWebhook } from '../../../src/adapters/bootstrap/modules/system.ts';
import { ApplyEnvironmentWebhook } from '../../../src/application/events/apply-environment-webhook.ts';
import { receivers } from '../../../src/domain/events/webhook.ts';
import { newWebhook, sealsOf } from '../../contracts/webhook-store.contract.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import { sceneDatabase } from '../../support/scene-database.ts';
import { noRecord } from '../../support/stores-subject.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const SET = { WEBHOOK_URL: 'https://hooks.example.org/s3cret', WEBHOOK_SECRET: SECRET };
const read = (env: Record<string, string>) => environmentWebhook(readConfig(env, () => ''));

describe('The webhook of the environment', () => {
  test('is none unless an address is set', () => {
    expect(read({})).toBeNull();
    expect(read({ WEBHOOK_SECRET: SECRET })).toBeNull();
  });

  test('is what the variables say', () => {
    const found = read({ ...SET, WEBHOOK_EVENTS: 'job.failed', WEBHOOK_MIN_SEVERITY: 'critical' });
    expect(found).toMatchObject({
      secret: SECRET,
      filter: { events: ['job.failed'], minSeverity: 'critical' },
    });
    expect(found?.url.href).toBe(SET.WEBHOOK_URL);
  });

  test.each([
    ['no secret', { WEBHOOK_URL: SET.WEBHOOK_URL }, 'WEBHOOK_SECRET: it is not set'],
    [
      'a private address',
      { ...SET, WEBHOOK_URL: 'http://10.0.0.1/' },
      'WEBHOOK_URL: 10.0.0.1 is not a public',
    ],
    ['no address', { ...SET, WEBHOOK_URL: 'nowhere' }, 'WEBHOOK_URL: Enter a URL that starts with https://'],
    [
      'an unknown event',
      { ...SET, WEBHOOK_EVENTS: 'job.fail' },
      'WEBHOOK_EVENTS: There is no event "job.fail"',
    ],
    ['a bad secret', { ...SET, WEBHOOK_SECRET: 'hunter2' }, 'WEBHOOK_SECRET: A webhook secret is'],
  ])('is refused with %s', (_, env, fault) => {
    expect(() => read(env)).toThrow(fault);
  });

  test('is encrypted in the database, follows the variables, and counts only while there is no other', async () => {
    const { webhooks } = sceneDatabase(new FakeClock());
    const apply = (env: Record<string, string>): Promise<void> =>
      new ApplyEnvironmentWebhook({
        webhooks,
        box: new PlainSecretBox(),
        clock: new FakeClock(),
        environmentWebhook: read(env),
      }).execute();
    const names = async () => receivers(await webhooks.list()).map(({ name }) => name);
    await apply(SET);
    await apply(SET);
    expect(await names()).toEqual(['environment']);
    const [first] = await webhooks.list();
    await apply({ ...SET, WEBHOOK_MIN_SEVERITY: 'warning' });
    const [changed] = await webhooks.list();
    expect(changed).toMatchObject({ id: first?.id, filter: { minSeverity: 'warning' } });
    const chat = await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
    expect(await names()).toEqual(['chat']);
    await webhooks.change(chat.id, { enabled: false }, 0, noRecord);
    expect(await names()).toEqual([]);
    await webhooks.remove(chat.id, {});
    expect(await names()).toEqual(['environment']);
    await apply({});
    expect(await webhooks.list()).toEqual([]);
  });
});
