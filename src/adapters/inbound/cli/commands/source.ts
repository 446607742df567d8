import type { Command } from 'commander';
import { ManageDumps } from '../../../../application/backups/manage-dumps.ts';
import { ManageSources } from '../../../../application/backups/manage-sources.ts';
import { PreviewExclusions } from '../../../../application/backups/preview-exclusions.ts';
import type { BackupSource } from '../../../../domain/backups/backup-source.ts';
import { MAX_CONTENT_INTERVAL } from '../../../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../../../domain/backups/exclusion-preview.ts';
import { hookText, parseHook } from '../../../../domain/backups/hook.ts';
import {
  DEFAULT_RETENTION,
  MAX_KEPT,
  type RetentionPolicy,
} from '../../../../domain/backups/retention-policy.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { count } from '../../../../domain/base/spans.ts';
import { sourcePreviewView, sourceView } from '../../api/views/source-view.ts';
import { collected, SERVER_ARGUMENT, wholeNumber, withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { checkSource, onlySource, savedText } from './source-check.ts';
import { listSources, retentionText, showSource } from './source-list.ts';

interface AddOptions extends RetentionPolicy {
  readonly name: string;
  readonly path: readonly string[];
  readonly exclude?: readonly string[];
  readonly repository?: string;
  readonly compareContentEvery?: number;
  readonly stop?: readonly string[];
}

interface EditOptions extends Partial<RetentionPolicy> {
  readonly path?: readonly string[];
  readonly exclude?: readonly string[];
  readonly includeAll?: true;
  readonly stop?: readonly string[];
  readonly stopNothing?: true;
  readonly compareContentEvery?: number;
}

const CONTENT = [
  '--compare-content-every <n>',
  'every n backups, compare the contents of all files, not only sizes and times; 0: never',
  wholeNumber(0, MAX_CONTENT_INTERVAL),
] as const;

const STOP_HELP =
  'stop this before the backup and start it again afterwards: unit:NAME, container:NAME or compose:PROJECT; repeatable';

export function addSourceCommands(program: Command, runner: Runner): void {
  const source = program
    .command('source')
    .description('manage backup sources: what is backed up of each server');
  const kept = wholeNumber(0, MAX_KEPT);
  withExamples(
    source
      .command('add')
      .description('add directories or files to the backups of a server')
      .argument(...SERVER_ARGUMENT)
      .requiredOption('--name <name>', 'name of the source')
      .requiredOption('--path <path>', 'an absolute path on the host; repeatable', collected)
      .option('--exclude <pattern>', 'exclude files that match this rsync pattern; repeatable', collected)
      .option('--stop <what>', STOP_HELP, collected)
      .option(
        '--repository <name>',
        'store its snapshots in this restic repository instead of the data directory',
      )
      .option('--keep-last <n>', 'keep the latest n snapshots', kept, DEFAULT_RETENTION.keepLast)
      .option(
        '--keep-daily <n>',
        'keep n daily snapshots (the last of each day)',
        kept,
        DEFAULT_RETENTION.keepDaily,
      )
      .option('--keep-weekly <n>', 'keep n weekly snapshots', kept, DEFAULT_RETENTION.keepWeekly)
      .option('--keep-monthly <n>', 'keep n monthly snapshots', kept, DEFAULT_RETENTION.keepMonthly)
      .option('--keep-yearly <n>', 'keep n yearly snapshots', kept, DEFAULT_RETENTION.keepYearly)
      .option(...CONTENT)
      .action(runner.run(add)),
    'drover source add web --name www --path /srv/www --exclude "*.tmp"',
    'drover source add db --name dumps --path /var/backups --keep-last 5 --keep-daily 14',
    'drover source add web --name www --path /srv/www --repository offsite',
    'drover source add web --name shop --path /srv/shop --stop compose:shop --stop unit:cron.service',
  );
  withExamples(
    source
      .command('edit')
      .description('edit a source; options you omit and its snapshots stay unchanged')
      .argument(...SERVER_ARGUMENT)
      .argument('<name>', 'name of the source')
      .option('--path <path>', 'replace the paths; repeatable', collected)
      .option('--exclude <pattern>', 'replace the patterns; repeatable', collected)
      .option('--include-all', 'remove all patterns')
      .option('--stop <what>', STOP_HELP, collected)
      .option('--stop-nothing', 'no longer stop anything')
      .option('--keep-last <n>', 'keep the latest n snapshots', kept)
      .option('--keep-daily <n>', 'keep n daily snapshots (the last of each day)', kept)
      .option('--keep-weekly <n>', 'keep n weekly snapshots', kept)
      .option('--keep-monthly <n>', 'keep n monthly snapshots', kept)
      .option('--keep-yearly <n>', 'keep n yearly snapshots', kept)
      .option(...CONTENT)
      .action(runner.run(edit)),
    'drover source edit web www --exclude "*.tmp" --exclude "/srv/www/cache"',
    'drover source edit web www --keep-daily 30',
    'drover source edit web www --compare-content-every 30',
  );
  withExamples(
    source
      .command('preview')
      .description('show which files the patterns leave out, and their size; changes and saves nothing')
      .argument(...SERVER_ARGUMENT)
      .argument('[name]', 'name of the source; may be omitted if the server has only one, or with --path')
      .option('--path <path>', 'replace the paths; repeatable', collected)
      .option('--exclude <pattern>', 'replace the patterns; repeatable', collected)
      .action(runner.run(previewSource)),
    'drover source preview web',
    'drover source preview web www --exclude "*.tmp" --exclude "/srv/www/cache"',
    'drover source preview web --path /srv/www --exclude "*.log"',
  );
  withExamples(
    source
      .command('check')
      .description('test on the server whether dumps and stopping services would work; changes nothing')
      .argument(...SERVER_ARGUMENT)
      .argument('[name]', 'name of the source; may be omitted if the server has only one')
      .action(runner.run(checkSource)),
    'drover source check web www',
  );
  source
    .command('list')
    .description('list the backup sources of a server')
    .argument(...SERVER_ARGUMENT)
    .action(runner.read(listSources));
  source
    .command('show')
    .description('show a backup source, its dumps and what it stops')
    .argument(...SERVER_ARGUMENT)
    .argument('<name>', 'name of the source')
    .action(runner.run(showSource));
  withExamples(
    withYes(
      source
        .command('remove')
        .description('stop backing up a source; its snapshots stay')
        .argument(...SERVER_ARGUMENT)
        .argument('<name>', 'name of the source'),
    ).action(runner.run(remove)),
    'drover source remove web www',
  );
}

async function add(session: Session, reference: string, options: AddOptions): Promise<Reply> {
  const server = await findServer(session, reference);
  const { name, path, exclude, keepLast, keepDaily, keepWeekly, keepMonthly, keepYearly } = options;
  const source = await session.useCases.get(ManageSources).add(session.actor, server.id, {
    name,
    paths: path,
    excludes: exclude ?? [],
    repository: options.repository,
    hooks: (options.stop ?? []).map(parseHook),
    retention: { keepLast, keepDaily, keepWeekly, keepMonthly, keepYearly },
    ...contentOf(options),
  });
  const faults = source.hooks.length > 0 ? await savedText(session, server, source.name) : '';
  const off = server.features.backup
    ? `Back it up now with: ${shellCommand`drover job start ${server.id} backup --source ${source.name} --follow`}`
    : `Backups of this server are off; switch them on with: ${shellCommand`drover server features ${server.id} backup=on`}`;
  return {
    json: sourceView(source, []),
    text: `Added the source ${source.name} to ${server.name}: ${source.paths.join(', ')}.\n${off}\n${faults}`,
  };
}

const contentOf = ({ compareContentEvery }: { readonly compareContentEvery?: number | undefined }) =>
  compareContentEvery === undefined ? {} : { compareContentEvery };

async function edit(
  session: Session,
  reference: string,
  name: string,
  { path, exclude, includeAll, compareContentEvery, stop, stopNothing, ...kept }: EditOptions,
): Promise<Reply> {
  if (includeAll && exclude) throw new UsageError('--exclude and --include-all cannot go together.');
  if (stopNothing && stop) throw new UsageError('--stop and --stop-nothing cannot go together.');
  const server = await findServer(session, reference);
  const hooks = stopNothing ? [] : stop?.map(parseHook);
  const excludes = includeAll ? [] : exclude;
  const source = await session.useCases.get(ManageSources).edit(session.actor, server.id, name, {
    ...(path ? { paths: path } : {}),
    ...(excludes ? { excludes } : {}),
    ...(hooks ? { hooks } : {}),
    ...(Object.keys(kept).length > 0 ? { retention: kept } : {}),
    ...contentOf({ compareContentEvery }),
  });
  const faults = hooks && hooks.length > 0 ? await savedText(session, server, name) : '';
  return {
    json: sourceView(source, await session.useCases.get(ManageDumps).ofServer(session.actor, server.id)),
    text: `Changed the source ${name} of ${server.name}: ${settingsText(source)}. Its snapshots stay.\n${faults}`,
  };
}

/** All that can be edited. */
function settingsText({ paths, excludes, hooks, compareContentEvery, retention }: BackupSource): string {
  return [
    paths.join(', '),
    ...(excludes.length > 0 ? [`excludes ${excludes.join(', ')}`] : []),
    ...(hooks.length > 0 ? [`stops ${hooks.map(hookText).join(', ')}`] : []),
    ...(compareContentEvery > 0 ? [`compares contents every ${count(compareContentEvery, 'backup')}`] : []),
    `keeps ${retentionText(retention)}`,
  ].join('; ');
}

async function remove(session: Session, reference: string, name: string, options: YesOption): Promise<Reply> {
  const server = await findServer(session, reference);
  await confirmed(session, options, `Stop backing up the source ${name} of ${server.name}?`);
  await session.useCases.get(ManageSources).remove(session.actor, server.id, name);
  return {
    json: { ok: true, server_id: server.id, name },
    text: `The source ${name} of ${server.name} is no longer backed up. Its snapshots stay.\n`,
  };
}

interface PreviewOptions {
  readonly path?: readonly string[];
  readonly exclude?: readonly string[];
}

async function previewSource(
  session: Session,
  reference: string,
  name: string | undefined,
  { path, exclude }: PreviewOptions,
): Promise<Reply> {
  const server = await findServer(session, reference);
  const chosen = path === undefined ? await onlySource(session, server, name) : name;
  const asked = { name: chosen, paths: path, excludes: exclude };
  const found = await session.useCases
    .get(PreviewExclusions)
    .execute(session.actor, server.id, asked, session.signal);
  return { json: sourcePreviewView(server.id, found), text: previewText(found.preview) };
}

function previewText(preview: ExclusionPreview): string {
  const { kept, leftOut, patterns, largest, unreadable, isComplete } = preview;
  const parts = [
    `Kept:     ${count(kept.files, 'file')}, ${formatBytes(kept.bytes)}\nExcluded: ${count(leftOut.files, 'file')}, ${formatBytes(leftOut.bytes)}\n`,
  ];
  if (patterns.length > 0) {
    const rows = patterns.map(({ pattern, matches, files, bytes }) => [
      pattern,
      ...(matches === 0 ? ['matches nothing', ''] : [String(files), formatBytes(bytes)]),
    ]);
    parts.push(table(['PATTERN', 'FILES', 'SIZE'], rows));
  }
  if (largest.length > 0) {
    const rows = largest.map(({ path, isDirectory, files, bytes }) => [
      `${path.text}${isDirectory ? '/' : ''}`,
      String(files),
      formatBytes(bytes),
    ]);
    parts.push(table(['LARGEST EXCLUDED', 'FILES', 'SIZE'], rows));
  }
  if (unreadable > 0) parts.push(`${count(unreadable, 'path')} could not be read.\n`);
  if (!isComplete) parts.push('The source is too large to count in full: there is more than this.\n');
  return parts.join('\n');
}
