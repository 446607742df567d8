import { afterEach, describe, expect, test } from 'vitest';
import { NO_CALLS } from '../../../../src/domain/access/token-calls.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const PATH = '/settings/tokens';
const administrator = async (): Promise<Visitor> => {
  fixture = await openWebFixture();
  return fixture.signedIn('administrator');
};
const chosen = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`name="${name}" value="([^"]+)" checked`, 'g'))].map(
    ([, value]) => value ?? '',
  );
const toolsIn = (html: string): readonly string[] => {
  const part = /<section id="tools"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
  return [...part.matchAll(/<li[^>]*>([a-z_]+)<\/li>/g)].map(([, name]) => name ?? '');
};

describe('A new token from a preset', () => {
  test.each([
    ['mcp', ['read'], 'client', 'mcp-'],
    ['operator', ['read', 'jobs'], 'reviewer', 'mcp-'],
    ['full', ['read', 'jobs', 'edit', 'files'], 'reviewer', 'mcp-'],
    ['script', ['read'], 'none', ''],
  ])(
    '%s has its scopes, its approval and the tools that follow from them',
    async (preset, scopes, approval, name) => {
      const browser = await administrator();
      const { text } = await browser.get(`${PATH}/new?preset=${preset}`);
      expect(chosen(text, 'scopes')).toEqual(scopes);
      expect(chosen(text, 'approval')).toEqual([approval]);
      const field = /<input [^>]*id="name"[^>]*>/.exec(text)?.[0] ?? '';
      expect(/value="([^"]*)"/.exec(field)?.[1] ?? '').toBe(name);
      expect(text).toContain(`href="${PATH}/new?preset=${preset}" aria-current="page"`);
      expect(toolsIn(text)).toContain('list_servers');
      expect(toolsIn(text).includes('trigger_job')).toBe(scopes.includes('jobs'));
      expect(toolsIn(text).includes('write_file')).toBe(scopes.includes('files'));
    },
  );

  test('lists its tools while they are chosen, and on request without a script', async () => {
    const browser = await administrator();
    const live = await browser.post(`${PATH}/tools`, { scopes: ['read', 'edit'] });
    expect(toolsIn(live.text)).toContain('set_features');
    expect(live.text).not.toContain('<html');
    expect(toolsIn((await browser.post(`${PATH}/tools`, { scopes: ['jobs'] })).text)).toEqual([]);
    const fields = { name: 'mcp-desk', scopes: ['read', 'files'], expires_at: '30d' };
    const preview = await browser.post(`${PATH}/new`, { ...fields, preview: 'yes' });
    expect(preview.status).toBe(200);
    expect(toolsIn(preview.text)).toContain('write_file');
    expect(preview.text).toContain('value="mcp-desk"');
    expect(await fixture.scene.tokens.find(1)).toBeNull();
  });

  test('waits for its first call, and says when it came', async () => {
    const browser = await administrator();
    const fields = { name: 'mcp-desk', scopes: ['read'], expires_at: '30d' };
    const made = await browser.post(`${PATH}/new`, fields);
    const banner = await browser.get(made.location ?? '');
    const path =
      /hx-get="(\/live\/settings\/tokens\/1\?since=\d+)(?:&amp;list=yes)?"/.exec(banner.text)?.[1] ?? '';
    const waiting = await browser.get(path);
    expect(waiting.text).toContain('hx-trigger="every 3s"');
    expect(waiting.text).toContain('status busy');
    await fixture.scene.clock.advance(5_000);
    await fixture.scene.tokens.touch(1, fixture.scene.clock.now(), NO_CALLS);
    const called = await browser.get(path);
    expect(called.text).toContain('status good');
    expect(called.text).not.toContain('hx-trigger');
    const { text } = await browser.get(PATH);
    expect(text).toMatch(/class="tag"[^>]*>Read</);
  });
});
