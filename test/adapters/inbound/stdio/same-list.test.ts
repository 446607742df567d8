import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABILITIES, FEATURE_SCOPES, SCOPES, type Scope } from '../../../../src/domain/access/scope.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { MODERN_META, PipedAdapter } from './piped-adapter.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

/** Every set of scopes that a token can have: a capability at least, any features. */
const scopeSets = Array.from({ length: 2 ** SCOPES.length }, (_, mask) =>
  SCOPES.filter((_name, bit) => mask & (1 << bit)),
).filter((scopes) => scopes.some((scope) => (CAPABILITIES as readonly Scope[]).includes(scope)));

const readable = scopeSets.filter((scopes) => scopes.includes('read'));
const blind = scopeSets.filter((scopes) => !scopes.includes('read'));

const MODERN_HEADERS = { 'MCP-Protocol-Version': '2026-07-28' };

async function modernOverHttp(token: string, method: string) {
  return fixture.rpc(token, method, { _meta: MODERN_META }, { ...MODERN_HEADERS, 'Mcp-Method': method });
}

describe('over stdio and over HTTP', () => {
  it('are all sets of scopes', () => {
    expect([readable.length, blind.length]).toEqual([
      2 ** 3 * 2 ** FEATURE_SCOPES.length,
      7 * 2 ** FEATURE_SCOPES.length,
    ]);
  });

  it.each(readable.map((scopes) => [scopes.join(' ')]))(
    'the lists of tools are the same, byte for byte: %s',
    async (scopes) => {
      const token = await fixture.token(scopes.split(' '));
      const adapter = new PipedAdapter({ url: fixture.base, token });
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} };
      const hosted = await fixture.rpc(token, 'tools/list');
      expect(hosted.json.result.tools.length).toBeGreaterThan(5);
      expect((await adapter.request('tools/list', undefined, 1)).text).toBe(hosted.text);
      expect((await adapter.modern('tools/list', {}, 1)).text).toBe(
        (await modernOverHttp(token, 'tools/list')).text,
      );
      expect((await adapter.modern('server/discover', {}, 1)).text).toBe(
        (await modernOverHttp(token, 'server/discover')).text,
      );
      const { json: greeting } = await fixture.rpc(token, 'initialize', params);
      // Here there is a channel to notify a client.
      greeting.result.capabilities.tools = { listChanged: true };
      expect((await adapter.request('initialize', params, 1)).json).toEqual(greeting);
      expect(await adapter.close()).toBe(true);
      expect(adapter.log).toEqual([]);
    },
  );

  it.each(blind.map((scopes) => [scopes.join(' ')]))('nothing starts without read: %s', async (scopes) => {
    const token = await fixture.token(scopes.split(' '));
    const adapter = new PipedAdapter({ url: fixture.base, token });
    const said = await adapter.initialize();
    expect(await adapter.ended).toBe(false);
    expect(adapter.log).toEqual([expect.stringContaining('scope "read"')]);
    const hosted = await fixture.rpc(token, 'initialize', { protocolVersion: '2025-11-25' });
    expect(said.json.error).toEqual(hosted.json.error);
  });
});
