import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { GetSnapshot } from '../../../../application/backups/list-snapshots.ts';
import { type RestoreOrder, RestoreSnapshot } from '../../../../application/backups/restore-snapshot.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { count } from '../../../../domain/base/spans.ts';
import { withoutEnd } from '../../../../domain/base/without-end.ts';
import { collected, id, withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { progressText, StatusLine } from '../status-line.ts';

interface RestoreOptions extends YesOption {
  readonly to?: string;
  readonly onHost?: true;
  readonly inPlace?: true;
  readonly path?: readonly string[];
  readonly overwrite?: true;
}

export function addRestoreCommand(program: Command, runner: Runner): void {
  withExamples(
    withYes(
      program
        .command('restore')
        .description('restore files from a snapshot and verify them')
        .argument('<snapshot>', 'id of the snapshot', id)
        .option('--to <directory>', 'target directory on this machine, or on the server with --on-host')
        .option('--on-host', 'restore on the server that was backed up')
        .addOption(
          new Option(
            '--in-place',
            'restore to the original location on the server, over existing files',
          ).conflicts(['to', 'onHost']),
        )
        .option('--path <path>', 'only this file or directory of the snapshot; repeatable', collected)
        .option('--overwrite', 'allow restoring into a non-empty directory'),
    ).action(runner.run(restore)),
    'drover restore 12 --to ./restored',
    'drover restore 12 --to ./restored --path /srv/www/index.html',
    'drover restore 12 --on-host --to /var/tmp/restored',
    'drover restore 12 --in-place --path /etc/nginx',
  );
}

async function restore(session: Session, snapshotId: number, options: RestoreOptions): Promise<Reply> {
  const order = orderOf(session, snapshotId, options);
  const snapshot = await session.useCases.get(GetSnapshot).execute(session.actor, snapshotId);
  if (options.inPlace) {
    const what = order.subpaths.length === 0 ? 'all of it' : order.subpaths.join(', ');
    await confirmed(
      session,
      options,
      `Write snapshot ${snapshot.id} (${what}) over the files of server ${snapshot.serverId}?`,
    );
  }
  const status = new StatusLine(session.io);
  const { files, bytes } = await session.useCases
    .get(RestoreSnapshot)
    .execute(session.actor, order, {
      signal: session.signal,
      log: (line) => {
        status.clear();
        session.note([{ verbatim: line }]);
      },
      progress: (current, percent) => status.show(progressText(current, percent)),
    })
    .finally(() => status.clear());
  const { directory, where } = order;
  const place = options.inPlace
    ? 'in place on the server'
    : `${where === 'here' ? 'below' : 'on the server below'} ${directory}`;
  return {
    json: { ok: true, snapshot_id: snapshotId, where, directory, files, bytes },
    text: `Restored ${count(files, 'file')} (${formatBytes(bytes)}) ${place}, and compared them with the snapshot.\n`,
  };
}

function orderOf(session: Session, snapshotId: number, options: RestoreOptions): RestoreOrder {
  const subpaths = (options.path ?? []).map((path) => withoutEnd(path.replace(/^\/+/, ''), '/'));
  if (subpaths.includes(''))
    throw new UsageError('--path needs a path in the snapshot; omit it to restore everything.');
  const rest = { snapshotId, subpaths, overwrite: options.overwrite ?? false };
  if (options.inPlace) return { ...rest, where: 'host', directory: '/', overwrite: true };
  if (options.to === undefined) throw new UsageError('specify the target: --to DIRECTORY, or --in-place.');
  if (!options.onHost) return { ...rest, where: 'here', directory: resolve(session.directory, options.to) };
  if (!options.to.startsWith('/'))
    throw new UsageError('with --on-host, --to is an absolute path on the server.');
  return { ...rest, where: 'host', directory: options.to };
}
