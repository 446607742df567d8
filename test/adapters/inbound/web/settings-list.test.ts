import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../../../src/domain/access/role.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
beforeAll(async () => {
  fixture = await openWebFixture();
});
afterAll(() => fixture.close());

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, '').trim();

/** The links of a navigation by its class: address, text, and whether it is the current one. */
function linksIn(html: string, navigation: string) {
  const [part = ''] = new RegExp(`<nav class="${navigation}".*?</nav>`, 's').exec(html) ?? [];
  return [...part.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)].map(([, attributes = '', label = '']) => ({
    href: /href="([^"]+)"/.exec(attributes)?.[1] ?? '',
    label: textOf(label),
    isCurrent: attributes.includes('aria-current="page"'),
  }));
}

const currentOf = (links: ReturnType<typeof linksIn>): readonly string[] =>
  links.filter(({ isCurrent }) => isCurrent).map(({ href }) => href);

/** It has a place in the sidebar, too, where it is marked. */
const TOKENS = '/settings/tokens';

describe.each<Role>(['administrator', 'operator', 'viewer'])('The settings of the role %s', (role) => {
  test('stay in the settings, with the same words in the list, the heading and the title', async () => {
    const visitor = await fixture.signedIn(role);
    const list = linksIn((await visitor.get('/settings')).text, 'list-nav');
    expect(list.length).toBeGreaterThan(2);
    for (const { href, label } of list.slice(1).filter((each) => each.href !== TOKENS)) {
      const { status, text } = await visitor.get(href);
      expect([href, status]).toEqual([href, 200]);
      expect([href, currentOf(linksIn(text, 'side'))]).toEqual([href, ['/settings']]);
      expect([href, currentOf(linksIn(text, 'list-nav'))]).toEqual([href, [href]]);
      expect(textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? '')).toBe(label);
      expect(text).toContain(`<title>${label} · Drover</title>`);
      expect(linksIn(text, 'trail').map((link) => link.href)).toEqual(['/settings']);
    }
  });

  test('are in no other part of the navigation but the tokens, and nothing else there has the name of a setting', async () => {
    const { text } = await (await fixture.signedIn(role)).get('/settings');
    const settings = linksIn(text, 'list-nav')
      .slice(1)
      .filter(({ href }) => href !== TOKENS);
    const side = linksIn(text, 'side');
    expect(side.filter(({ href }) => settings.some((each) => each.href === href))).toEqual([]);
    expect(side.filter(({ label }) => settings.some((each) => each.label === label))).toEqual([]);
  });
});

test('A page within a setting has it in the breadcrumb', async () => {
  const { text } = await (await fixture.signedIn('administrator')).get('/settings/alerts/new-channel');
  expect(linksIn(text, 'trail').map(({ href }) => href)).toEqual(['/settings', '/settings/alerts']);
  expect(currentOf(linksIn(text, 'list-nav'))).toEqual(['/settings/alerts']);
});
