import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROCESS_SERIES } from '../../src/adapters/inbound/metrics/process-metrics.ts';
import { ALWAYS, SERIES, SERVER_SERIES } from '../../src/adapters/inbound/metrics/series.ts';
import { ROOT } from '../docs/markdown.ts';
import { alerts, dashboardQueries, namedSeries } from './kit.ts';

const all = await alerts();
const queries = await dashboardQueries();
const runbooks = (await readdir(join(ROOT, 'docs/runbooks'))).map((name) => name.replace('.md', ''));
const own = new Set(
  [...Object.values(ALWAYS), ...SERIES, ...SERVER_SERIES, ...Object.values(PROCESS_SERIES)].map(
    ({ name }) => name,
  ),
);

describe('Every alert', () => {
  test('is read', () => expect(all.length).toBeGreaterThanOrEqual(13));

  test.each(all)('$name has everything that you need on call, and a page', async (alert) => {
    expect(['warning', 'critical']).toContain(alert.severity);
    for (const text of [alert.summary, alert.description, alert.expr]) expect(text.length).toBeGreaterThan(8);
    const page = /^https:\/\/drover\.example\.org\/docs\/runbooks\/([a-z-]+)$/.exec(alert.runbook)?.[1];
    expect(runbooks).toContain(page);
    const text = await readFile(join(ROOT, 'docs/runbooks', `${page}.md`), 'utf8');
    expect(text).toContain(`Alert: \`${alert.name}\`.`);
    for (const part of ['What it means', 'First look', 'Steps', 'When it is over']) {
      expect(text).toContain(`## ${part}\n`);
    }
    // `unless` and a comparison with a missing series would stay silent forever.
    for (const name of namedSeries(alert.expr)) expect(own).toContain(name);
  });

  test('has a page', () => {
    const named = all.map(({ runbook }) => runbook.split('/').at(-1) ?? '');
    expect(new Set(named)).toEqual(new Set(runbooks));
    expect(named).toHaveLength(runbooks.length);
  });

  test.each(all)('$name is tested when it fires, when it does not, and never seen', async ({ name }) => {
    const tests = await Promise.all(
      ['drover-rules.test.yml', 'drover-rules-slow.test.yml'].map((file) =>
        readFile(join(ROOT, 'deploy/prometheus', file), 'utf8'),
      ),
    );
    const titles = [...tests.join('\n').matchAll(/^ {2}- name: (.*)$/gm)].map(([, title]) => title);
    expect(titles).toContain(`${name} fires`);
    expect(titles).toContain(`${name} does not fire`);
    expect(
      titles.filter((title) => title?.startsWith(`${name} `) && title.endsWith('never seen')),
    ).toHaveLength(1);
  });
});

describe('Every query of the dashboard', () => {
  test('is read', () => expect(queries.length).toBeGreaterThan(40));

  test.each(queries)('$panel: $query', ({ query }) => {
    const named = namedSeries(query).map((name) => name.replace(/_(bucket|count|sum)$/, ''));
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(own).toContain(name);
  });
});
