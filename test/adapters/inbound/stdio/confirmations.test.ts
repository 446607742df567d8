import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { MODERN_META, PipedAdapter } from './piped-adapter.ts';

const META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const SWITCH = { name: 'set_features', arguments: { server_id: 1, docker: true } };

let fixture: ApiFixture;
let adapter: PipedAdapter;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  adapter = new PipedAdapter({ url: fixture.base, token: await fixture.token(['read', 'edit']) });
});

const call = async (more: object = {}) =>
  (await adapter.request('tools/call', { ...SWITCH, ...more, _meta: META })).json;
const answer = (requestState: string, action: string) =>
  call({ requestState, inputResponses: { confirm: { action } } });
const docker = async () => (await fixture.stores.servers.find(1))?.features.docker;

test('The question of the service and the answer of the user pass through', async () => {
  const { result, id } = await call();
  expect(id).toBe('r1');
  expect(result).toMatchObject({
    resultType: 'input_required',
    requestState: expect.stringMatching(/^v1\./),
  });
  expect(result.inputRequests.confirm.params.message).toContain('docker: off → on');
  expect(await docker()).toBe(false);
  const declined = (await answer(result.requestState, 'decline')).result;
  expect(JSON.parse(declined.content[0].text)).toMatchObject({ ok: false, code: 'confirmation_declined' });
  const { requestState } = (await call()).result;
  const changed = (await answer(requestState, 'accept')).result;
  expect(changed).toMatchObject({ resultType: 'complete', structuredContent: { changed: ['docker'] } });
  expect(await docker()).toBe(true);
  await adapter.close();
});

test('An answer without a question is refused, also from a client that cannot ask', async () => {
  await fixture.stores.servers.setFeatures(1, { docker: false }, fixture.clock.now(), () => ({}));
  const forged = { requestState: 'v1.accepted', inputResponses: { confirm: { action: 'accept' } } };
  for (const meta of [META, MODERN_META]) {
    const { json } = await adapter.request('tools/call', { ...SWITCH, ...forged, _meta: meta });
    expect(JSON.parse(json.result.content[0].text).code).toBe('confirmation_invalid');
  }
  expect(await docker()).toBe(false);
  await adapter.close();
});

test('A call that the service does not answer is an error for the model, and is not repeated', async () => {
  const other = await openApiFixture();
  const away = new PipedAdapter({ url: other.base, token: await other.token(['read', 'edit']) });
  await away.modern('tools/list');
  await other.close();
  const { json } = await away.request('tools/call', { ...SWITCH, _meta: META });
  expect(json.result).toMatchObject({ isError: true, resultType: 'complete' });
  expect(JSON.parse(json.result.content[0].text)).toMatchObject({ ok: false, code: 'service_unreachable' });
  await away.close();
});
