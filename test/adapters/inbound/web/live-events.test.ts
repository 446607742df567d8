import { afterEach, expect, test, vi } from 'vitest';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { EventClient } from '../../../support/event-source.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

const WAIT = { timeout: 10_000, interval: 20 };

let fixture: WebFixture;
afterEach(() => fixture.close());

test('An open page gets the numbers of the navigation as soon as a job is requested', async () => {
  fixture = await openWebFixture();
  const operator = await fixture.signedIn('operator');
  await fixture.scene.addServer('web', { os_patch: true });
  const { text } = await operator.get('/');
  expect(text).toMatch(/<span class="count busy"[^>]* data-count="jobs"><\/span>/);
  const client = new EventClient(`${fixture.base}/live/events`, operator.cookie);
  expect(await client.connect()).toBe(200);
  await vi.waitFor(() => expect(client.events).toHaveLength(1), WAIT);
  await operator.post('/servers/1/jobs/new', { type: 'os_update_check' });
  await fixture.scene.clock.advance(SECOND);
  await vi.waitFor(() => expect(client.events.at(-1)?.data).toMatchObject({ jobs: ['1', '1 active'] }), WAIT);
  expect(client.events[0]?.data).toMatchObject({ jobs: ['', ''], servers: ['1', '1 in total'] });
  expect((await operator.get('/')).text).toMatch(/data-count="jobs">1<\/span>/);
  client.cut();
});
