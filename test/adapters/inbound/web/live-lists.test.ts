import { afterAll, beforeAll, expect, test } from 'vitest';
import { furnish, pathOf } from './furnished.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
  await furnish(fixture, root);
});
afterAll(() => fixture.close());

/** Pages that an open browser does not refresh, and why. */
const STILL: readonly (readonly [string, RegExp])[] = [
  [
    'forms',
    /\/(new|edit|import|restore|delete|remove|rename|features|test|confirm|totp|new-[a-z]+)(\/:kind)?$/,
  ],
  [
    'forms',
    /^\/(tags|settings|servers\/:id\/settings|settings\/(alerts\/policy|sign-in\/providers)\/:name)$/,
  ],
  [
    'a script changes them after they are loaded',
    /^\/(account|account\/passkeys|settings\/alerts\/browser)$/,
  ],
  ['snapshots never change', /^\/snapshots\/:id(\/(compare|now|dumps\/:dump))?$/],
  ['a stream of events brings what is new', /^\/jobs\/:id$/],
  ['files are read from the server on request', /^\/servers\/:id\/(files|host)$/],
  ['answers to a question', /^\/(search|.*\/retention|settings\/about|.*\/report)$/],
  ['no user is signed in', /^\/(sign-in|code|welcome|offline)$/],
];

/** The address of the part that stays up to date; the head of a server's page alone is not its list. */
const liveOf = (html: string): string | undefined =>
  [...html.matchAll(/<\w+ [^>]*data-live[^>]*>/g)]
    .map(([tag]) => /hx-(?:get|post)="([^"]+)"/.exec(tag)?.[1] ?? '')
    .find((address) => address !== '' && !address.includes('/head?'));

test('Every list stays up to date, and every page that does not has a reason', async () => {
  const live: string[] = [];
  const still: string[] = [];
  for (const { method, path } of fixture.routes) {
    if (method !== 'GET' || path.startsWith('/live/') || path.endsWith('/events')) continue;
    const { status, text } = await root.get(pathOf(path));
    if (status === 200 && text.startsWith('<!doctype')) (liveOf(text) ? live : still).push(path);
  }
  const reasonOf = (path: string) => STILL.find(([, paths]) => paths.test(path))?.[0];
  expect(still.filter((path) => reasonOf(path) === undefined)).toEqual([]);
  expect(live.filter((path) => reasonOf(path) !== undefined)).toEqual([]);
  expect(live).toEqual(
    expect.arrayContaining([
      '/settings/users',
      '/settings/tags',
      '/settings/keys',
      '/settings/sign-in',
      '/settings/alerts',
      '/settings/alerts/policy',
      '/settings/alerts/channels/:name',
      '/settings/alerts/webhooks/:name',
      '/settings/tokens/:id',
      '/templates',
      '/policies',
      '/schedules/:id',
      '/servers/:id/sources',
    ]),
  );
});

test('A refreshed setting keeps the list of settings, and what was typed above it', async () => {
  const { text } = await root.get('/settings/users', { 'HX-Source': 'div#live-page' });
  expect(text).toMatch(/^<div id="live-page"[^>]* hx-get="\/settings\/users"/);
  expect(text).toMatch(/<nav class="list-nav"[^>]* hx-morph-skip.*role="table"/s);
});

test('A form that was refused is not refreshed', async () => {
  const { status, text } = await root.post('/settings/users', { name: '', role: 'viewer' });
  expect([status, liveOf(text)]).toEqual([422, undefined]);
  expect(text).toContain('role="table"');
});
