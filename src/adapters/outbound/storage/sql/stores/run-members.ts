import type { Knex } from 'knex';
import { MEMBER_STATUSES, type MemberCounts } from '../../../../../domain/automation/batch.ts';
import { MAX_FAILED_NAMED, type ScheduleRun } from '../../../../../domain/automation/schedule.ts';
import { countColumn } from '../tables/batch-row.ts';

/** Adds the numbers of servers to runs with a batch, and the names of a few that failed: two queries for all runs. */
export async function withMembers(knex: Knex, runs: readonly ScheduleRun[]): Promise<readonly ScheduleRun[]> {
  const ids = runs.flatMap(({ batchId }) => batchId ?? []);
  if (ids.length === 0) return runs;
  const rows: Readonly<Record<string, number>>[] = await knex('batches')
    .whereIn('id', ids)
    .select(['id', ...MEMBER_STATUSES.map(countColumn)]);
  const counts = new Map(rows.map((row) => [Number(row['id']), countsOf(row)]));
  const failed = await failedIn(
    knex,
    [...counts].flatMap(([id, of]) => (of.failed > 0 ? [id] : [])),
  );
  return runs.map((run) => {
    const of = run.batchId === null ? undefined : counts.get(run.batchId);
    if (of === undefined) return run;
    return { ...run, members: { counts: of, failed: failed.get(run.batchId ?? 0) ?? [] } };
  });
}

const countsOf = (row: Readonly<Record<string, number>>): MemberCounts =>
  Object.fromEntries(
    MEMBER_STATUSES.map((status) => [status, Number(row[countColumn(status)])]),
  ) as unknown as MemberCounts;

async function failedIn(
  knex: Knex,
  batchIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const names = new Map<number, string[]>();
  if (batchIds.length === 0) return names;
  const numbered = knex('batch_members')
    .select(['batch_id', 'server_name'])
    .rowNumber('place', 'position', 'batch_id')
    .where({ status: 'failed' })
    .whereIn('batch_id', batchIds)
    .as('numbered');
  const rows: readonly { readonly batch_id: number; readonly server_name: string }[] = await knex
    .select(['batch_id', 'server_name'])
    .from(numbered)
    .where('place', '<=', MAX_FAILED_NAMED)
    .orderBy(['batch_id', 'place']);
  for (const { batch_id: id, server_name: name } of rows) names.set(id, [...(names.get(id) ?? []), name]);
  return names;
}
