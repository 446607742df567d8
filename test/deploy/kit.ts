import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../docs/markdown.ts';

export const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly severity: string;
  readonly summary: string;
  readonly description: string;
  readonly runbook: string;
}

/** The file's alerts, parsed for its simple form. */
export async function alerts(): Promise<readonly Alert[]> {
  const text = await read('deploy/prometheus/drover-rules.yml');
  return text
    .split('- alert: ')
    .slice(1)
    .map((block) => {
      const field = (name: string): string =>
        new RegExp(`^ +${name}: (?:'((?:[^']|'')*)'|"([^"]*)"|(\\S+))$`, 'm')
          .exec(block)
          ?.slice(1)
          .find((found) => found !== undefined)
          ?.replaceAll("''", "'") ?? '';
      return {
        name: block.split('\n')[0] ?? '',
        expr: field('expr'),
        severity: field('severity'),
        summary: field('summary'),
        description: field('description'),
        runbook: field('runbook_url'),
      };
    });
}

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

/** The dashboard's queries, with its variables filled in as for a new user. */
export async function dashboardQueries(): Promise<readonly { panel: string; query: string }[]> {
  const { panels } = Dashboard.parse(JSON.parse(await read('deploy/grafana/drover.json')));
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      panel: title,
      query: expr
        .replaceAll('$job', 'drover')
        .replaceAll('$process', 'drover-process')
        .replaceAll('$__rate_interval', '1m'),
    })),
  );
}

/** Our series in an expression. */
export const namedSeries = (expr: string): readonly string[] => [...new Set(expr.match(/\bservice_\w+/g))];
