import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/ensure.mjs';
import { describeServer } from '../../../../src/domain/fleet/server-description.ts';
import { fakeInventory } from '../../../fakes/fake-host-facts.ts';
import { addDump } from '../../../support/dumps.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
  await populate();
});
afterAll(() => fixture.close());

/** A server with one of everything that pages show. */
async function populate(): Promise<void> {
  const { scene, fleet } = fixture;
  const now = scene.clock.now();
  const web = describeServer({
    name: 'web',
    connection: 'ssh',
    hostname: 'web.test',
    tags: ['eu'],
    features: { backup: true, os_patch: true, docker: true },
  });
  await scene.servers.add(web, now, () => ({}));
  const host = fleet.hosts.host('web').on(/cd -P/, () => '/srv');
  await scene.servers.change(1, { address: { hostKey: host.hostKey } }, now, () => ({}));
  await fleet.inventories.save(1, { ...fakeInventory(), at: now });
  await scene.servers.learn(1, {
    inventoryAt: now,
    rebootPending: true,
    securityUpdatesCount: 2,
    osUpdatesCount: 2,
  });
  for (let i = 0; i < 120; i += 1) await scene.addServer(`host-${i}`, { backup: true });
  await addDump(scene, (await scene.addSource(1)).id, 'shop');
  const token = { preset: 'mcp', name: 'mcp-laptop', scopes: ['read'], expires_at: '90d' };
  await root.post('/settings/tokens/new', token);
  await root.post('/servers/1/start', { job_type: 'backup' });
}

/** How many of each kind are followed: rows of a list lead to the same pages. */
const MAX_OF_A_SORT = 3;

const unescaped = (raw: string): string => raw.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
const found = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, raw]) => unescaped(raw ?? ''));
const LINK = /\s(?:href|src|hx-get)="(\/[^"]*)"/g;
const ACTION = /(?:<form method="post" action|\shx-post)="(\/[^"]*)"/g;

/** Paths that lead to the same page are of one sort. */
const sortOf = (path: string): string => path.replace(/\d+/g, 'N').replace(/=[^&#]*/g, '=');

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replace(/:[a-z]+/gi, '[^/]+')}$`).test(path);
const isAction = (path: string): boolean =>
  fixture.routes.some((route) => route.method === 'POST' && matches(route.path, path));

test('No link and no form of any page leads nowhere', async () => {
  // The first server has one of everything: its pages come before those of others like it.
  const guessed = fixture.routes
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replace(':id', '1'))
    // Events go on for as long as their job does.
    .filter((path) => !path.includes(':') && !path.endsWith('/events'));
  const waiting = [...guessed];
  const seen = new Map<string, number>();
  const visited = new Set<string>();
  const nowhere: string[] = [];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const [place = ''] = path.split('#');
    const before = seen.get(sortOf(place)) ?? 0;
    if (visited.has(place) || before >= MAX_OF_A_SORT) continue;
    visited.add(place);
    seen.set(sortOf(place), before + 1);
    if (place.startsWith('/docs/')) {
      // Another part of the service serves the documentation, from these files.
      if (!existsSync(join(ROOT, `${place.replace(/\/$/, '/README')}.md`))) nowhere.push(place);
      continue;
    }
    const { status, text, headers, location } = await root.get(place);
    if (status === 404 && !guessed.includes(place)) nowhere.push(place);
    if (location?.startsWith('/')) waiting.push(location);
    if (!headers.get('content-type')?.includes('text/html')) continue;
    if (text.includes('Unknown filter')) nowhere.push(place);
    waiting.push(...found(text, LINK));
    nowhere.push(...found(text, ACTION).filter((action) => !isAction(action)));
  }
  expect(nowhere).toEqual([]);
  expect([...visited]).toEqual(
    expect.arrayContaining([
      '/servers/1/setup/host-key',
      '/servers/1/sources/etc/remove',
      '/servers/1/sources/etc/dumps/shop/edit',
      '/servers?offset=36',
      '/jobs/1',
      '/settings/tokens/1',
    ]),
  );
});
