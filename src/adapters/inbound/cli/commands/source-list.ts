import { ManageDumps } from '../../../../application/backups/manage-dumps.ts';
import { ManageRepositories } from '../../../../application/backups/manage-repositories.ts';
import { ManageSources } from '../../../../application/backups/manage-sources.ts';
import { type BackupSource, sourceNotFound } from '../../../../domain/backups/backup-source.ts';
import { DUMP_RULES, type Dump, dumpsOf } from '../../../../domain/backups/dump.ts';
import { hookText } from '../../../../domain/backups/hook.ts';
import type { RetentionPolicy } from '../../../../domain/backups/retention-policy.ts';
import { count } from '../../../../domain/base/count.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago } from '../../../../domain/base/spans.ts';
import { sourceView } from '../../api/views/source-view.ts';
import { findServer } from '../find-server.ts';
import type { Reply, Session } from '../session.ts';
import { properties, table } from '../table.ts';

/** The dumps of a source as a table. */
export const dumpTable = (dumps: readonly Dump[]): string =>
  table(
    ['NAME', 'KIND', 'DATABASE', 'CLIENT', 'USER', 'SERVER'],
    dumps.map((dump) => [
      dump.name,
      DUMP_RULES[dump.kind].label,
      dump.database ?? 'all',
      dump.container === null ? 'host' : `${dump.client} ${dump.container}`,
      `${dump.user ?? ''}${dump.hasPassword ? ' (password)' : ''}`.trim(),
      `${dump.host ?? 'local'}${dump.port === null ? '' : ` port ${dump.port}`}`,
    ]),
  );

export async function listSources(session: Session, reference: string): Promise<Reply> {
  const server = await findServer(session, reference);
  const sources = await session.useCases.get(ManageSources).list(session.actor, server.id);
  const dumps = await session.useCases.get(ManageDumps).ofServer(session.actor, server.id);
  const placeOf = await places(session, sources);
  const now = session.now();
  const rows = sources.map((source) => [
    source.name,
    placeOf(source),
    source.paths.join(' '),
    source.excludes.join(' '),
    dumpsOf(source, dumps)
      .map(({ name }) => name)
      .join(' '),
    source.hooks.map(hookText).join(' '),
    comparesText(source),
    retentionText(source.retention),
    ago(source.lastSuccessAt, now),
  ]);
  return {
    json: { sources: sources.map((source) => sourceView(source, dumps)), total: sources.length },
    text:
      rows.length === 0
        ? `${server.name} has no backup source. Add one with: ${shellCommand`drover source add ${server.id} --name NAME --path PATH`}\n`
        : table(
            ['NAME', 'KEPT IN', 'PATHS', 'EXCLUDED', 'DUMPS', 'STOPS', 'COMPARES', 'KEEP', 'LAST BACKUP'],
            rows,
          ),
  };
}

export async function showSource(session: Session, reference: string, name: string): Promise<Reply> {
  const server = await findServer(session, reference);
  const sources = await session.useCases.get(ManageSources).list(session.actor, server.id);
  const source = sources.find((each) => each.name === name);
  if (!source) throw sourceNotFound(name);
  const dumps = await session.useCases.get(ManageDumps).list(session.actor, server.id, name);
  const placeOf = await places(session, [source]);
  const facts = properties([
    ['Source', `${source.name} of ${server.name}`],
    ['Kept in', placeOf(source)],
    ['Paths', source.paths.join(' ')],
    ['Excluded', source.excludes.join(' ')],
    ['Stops', source.hooks.map(hookText).join(' ')],
    ['Compares', comparesText(source)],
    ['Keeps', retentionText(source.retention)],
    ['Last backup', ago(source.lastSuccessAt, session.now())],
    ['Dumps', dumps.length === 0 ? 'none' : dumps.length],
  ]);
  return {
    json: sourceView(source, dumps),
    text: dumps.length === 0 ? facts : `${facts}\n${dumpTable(dumps)}`,
  };
}

/** How a backup finds what changed. */
const comparesText = ({ engine, compareContentEvery }: BackupSource): string =>
  engine === 'restic'
    ? 'by restic'
    : compareContentEvery > 0
      ? `contents every ${count(compareContentEvery, 'backup')}`
      : 'sizes and times';

/** Says of a source in which repository its snapshots are. */
async function places(
  session: Session,
  sources: readonly BackupSource[],
): Promise<(source: BackupSource) => string> {
  const known = sources.some(({ repositoryId }) => repositoryId !== null)
    ? await session.useCases.get(ManageRepositories).list(session.actor)
    : [];
  const names = new Map(known.map((repository) => [repository.id, repository.name]));
  return ({ repositoryId }) => names.get(repositoryId ?? 0) ?? 'the service';
}

/** Such as `3 last, 7 daily`. */
export function retentionText(policy: RetentionPolicy): string {
  const rules = [
    [policy.keepLast, 'last'],
    [policy.keepDaily, 'daily'],
    [policy.keepWeekly, 'weekly'],
    [policy.keepMonthly, 'monthly'],
    [policy.keepYearly, 'yearly'],
  ] as const;
  return rules
    .filter(([kept]) => kept > 0)
    .map(([kept, unit]) => `${kept} ${unit}`)
    .join(', ');
}
