import { afterEach, expect, test } from 'vitest';
import { sortedRows, sortingOf } from '../../../../src/adapters/inbound/web/components/sorting.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture | undefined;
afterEach(() => fixture?.close());

const usual = { by: 'name', descending: false } as const;
const sorting = (address: string) =>
  sortingOf({
    path: '/things',
    query: new URLSearchParams(address),
    keys: ['name', 'size'],
    usual,
    largestFirst: ['size'],
  });

test('An order is in the address, and a second click reverses it', () => {
  expect(sorting('sort=-size').order).toEqual({ by: 'size', descending: true });
  for (const nonsense of ['', 'sort=--size', 'sort=weight', 'sort=constructor'])
    expect(sorting(nonsense).order).toEqual(usual);
  expect(sorting('q=a&offset=50').sort('size')).toEqual({
    href: '/things?q=a&sort=-size',
    direction: null,
  });
  expect(sorting('sort=-size').sort('size')).toEqual({
    href: '/things?sort=size',
    direction: 'descending',
  });
  expect(sorting('').sort('name')).toEqual({ href: '/things?sort=-name', direction: 'ascending' });
});

test('Rows are sorted as people count, unknown values first', () => {
  const rows = [{ of: 'web-10' }, { of: null }, { of: 'web-9' }];
  const by = { of: ({ of }: { of: string | null }) => of };
  const sorted = sortedRows(rows, { by: 'of', descending: false }, by);
  expect(sorted.map(({ of }) => of)).toEqual([null, 'web-9', 'web-10']);
  expect(sortedRows(rows, { by: 'of', descending: true }, by)).toEqual(sorted.toReversed());
});

test('Every main table has links that sort it, and says how it is sorted', async () => {
  fixture = await openWebFixture();
  const { scene } = fixture;
  await scene.addServer('web', { backup: true, os_patch: true }, 'ssh');
  await scene.addSource(1);
  const root = await fixture.signedIn('administrator');
  for (const type of ['backup', 'os_update_check'])
    expect((await root.post('/servers/1/jobs/new', { type })).status).toBe(303);
  const idsIn = async (path: string) => [
    ...new Set(Array.from((await root.get(path)).text.matchAll(/href="\/jobs\/(\d+)"/g), ([, each]) => each)),
  ];
  expect(await idsIn('/jobs')).toEqual(['2', '1']);
  expect(await idsIn('/jobs?sort=started')).toEqual(['1', '2']);
  for (const [path, key] of [
    ['/servers', 'last_backup'],
    ['/jobs', 'state'],
    ['/backups', 'server'],
    ['/settings/users', 'role'],
  ] as const) {
    const { text } = await root.get(`${path}?sort=-${key}`);
    expect(text, path).toContain(`aria-sort="descending"><a class="sort" href="${path}?sort=${key}"`);
    expect(text, path).not.toContain('aria-sort="ascending"');
  }
});
