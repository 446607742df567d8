import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import {
  type Column,
  DataTable,
  type DataTableProps,
} from '../../../../src/adapters/inbound/web/components/data-table.tsx';

interface Disk {
  readonly mount: string;
  readonly bytes: number;
}
const COLUMNS: readonly Column<Disk>[] = [
  { head: 'Mount', cell: ({ mount }) => mount },
  { head: 'Size', kind: 'number', cell: ({ bytes }) => bytes },
  { head: 'Actions', kind: 'actions', cell: () => 'Open' },
];
const DISKS: readonly Disk[] = [
  { mount: '/', bytes: 5 },
  { mount: '/srv', bytes: 7 },
];

const html = (props: Partial<DataTableProps<Disk>> = {}): string =>
  renderToString(
    h(DataTable<Disk>, { columns: COLUMNS, rows: DISKS, keyOf: ({ mount }) => mount, ...props }),
  );

describe('A table', () => {
  test('aligns a heading with its numbers, and names them on a phone', () => {
    expect(html()).toMatch(/<th [^>]*class="number"[^>]*>Size<\/th>/);
    expect(html()).toMatch(/<td [^>]*class="number" data-label="Size"[^>]*>5<\/td>/);
  });

  test('shows the heading of its actions to screen readers only', () => {
    expect(html()).toContain('<span class="hidden">Actions</span>');
  });

  test('says why it is empty, and still links to the previous page', () => {
    const found = { items: [], total: 3, limit: 2, offset: 4 };
    const text = html({
      rows: [],
      empty: 'No disks.',
      paging: { found, path: '/disks', query: new URLSearchParams() },
    });
    expect(text).toContain('No disks.');
    expect(text).not.toContain('<table');
    expect(text).toContain('href="/disks?offset=2"');
  });

  test('says where in a long list it is, with digits in groups', () => {
    const found = { items: DISKS, total: 3_088, limit: 2, offset: 1_000 };
    const text = html({ paging: { found, path: '/disks', query: new URLSearchParams() } });
    expect(text).toContain('1,001 to 1,002 of 3,088');
  });

  test('counts the rows beyond its maximum', () => {
    const text = html({ max: 1 });
    expect(text).not.toContain('/srv');
    expect(text).toContain('and 1 more');
  });

  test('has a box for each row that belongs to a form elsewhere', () => {
    const text = html({ select: { form: 'bulk', label: ({ mount }) => mount } });
    expect(
      text.match(/<input type="checkbox" name="ids" value="[^"]*" form="bulk" aria-label="Select [^"]*"/g),
    ).toHaveLength(2);
  });

  test('is the only one that pages write', () => {
    const pages = join(import.meta.dirname, '../../../../src/adapters/inbound/web/pages');
    const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    );
    expect(files.filter((name) => readFileSync(join(pages, name), 'utf8').includes('<table'))).toEqual([]);
  });
});
