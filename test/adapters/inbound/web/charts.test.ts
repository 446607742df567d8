import { type ComponentProps, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { HeatStrip } from '../../../../src/adapters/inbound/web/components/heat-strip.tsx';
import { Meter } from '../../../../src/adapters/inbound/web/components/meter.tsx';
import { Sparkline } from '../../../../src/adapters/inbound/web/components/sparkline.tsx';

const spark = (props: Omit<ComponentProps<typeof Sparkline>, 'label'>): string =>
  renderToString(h(Sparkline, { label: '30 days, from 1 to 3', ...props }));
const lines = (html: string): readonly string[] =>
  [...html.matchAll(/class="line" d="([^"]+)"/g)].map(([, d = '']) => d);

describe('A sparkline', () => {
  test('fills its height with what there is, the latest at the right', () => {
    expect(lines(spark({ values: [1, 3, 2] }))).toEqual(['M0 26 48 2 96 14']);
  });

  test('starts at zero if it has a top', () => {
    expect(lines(spark({ values: [0, 5, 20], most: 10 }))).toEqual(['M0 26 48 14 96 2']);
  });

  test('has a gap for what is not known, and no drawing of nothing', () => {
    expect(lines(spark({ values: [1, null, 2, 2, null] }))).toEqual(['M0 26h0.1', 'M48 2 72 2']);
    expect(spark({ values: [null, null] })).toBe('');
    expect(spark({ values: [] })).toBe('');
  });

  test('is a level line if nothing changes', () => {
    expect(lines(spark({ values: [7, 7] }))).toEqual(['M0 14 96 14']);
  });
});

test('every drawing says in words what it shows, and carries no style', () => {
  const drawn = [
    spark({ values: [1, 2] }),
    renderToString(
      h(HeatStrip, {
        label: 'Backups, 2 days: 1 succeeded, 1 failed',
        cells: [
          { tone: 'good', title: '1 Nov: succeeded' },
          { tone: 'bad', title: '2 Nov: failed' },
        ],
      }),
    ),
    renderToString(h(Meter, { used: 3, total: 4, label: 'Memory, 3 of 4 GiB' })),
  ];
  expect(drawn.map((each) => /aria-label="([^"]+)"/.exec(each)?.[1])).toEqual([
    '30 days, from 1 to 3',
    'Backups, 2 days: 1 succeeded, 1 failed',
    'Memory, 3 of 4 GiB',
  ]);
  for (const each of drawn) expect(each).not.toContain('style=');
  expect(drawn[0]).toContain('<title>30 days, from 1 to 3</title>');
  expect(drawn[1]).toContain('<rect class="bad" x="11"><title>2 Nov: failed</title>');
  expect(drawn[2]).toMatch(/low="(?:2\.99|3").* high="3\.(?:59|6)/);
});
