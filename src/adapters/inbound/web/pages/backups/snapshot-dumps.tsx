import type {
  ListSnapshotDumps,
  SnapshotDump,
} from '../../../../../application/backups/list-snapshot-dumps.ts';
import type { RequestDumpRestore } from '../../../../../application/backups/request-dump-restore.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import {
  DUMP_RULES,
  dumpNotFound,
  restoreByHand,
  takesOtherDatabase,
} from '../../../../../domain/backups/dump.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { withPlace } from '../../components/crumbs.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { textOf } from '../../form-state.ts';

import { toStarted } from '../../job-started.ts';
import { page, type SignedInVisit, type WebReply } from '../../route.ts';
import { Way } from '../fleet/remedy.tsx';

export interface SnapshotDumpDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly listSnapshotDumps: Pick<ListSnapshotDumps, 'execute'>;
  readonly requestDumpRestore: Pick<RequestDumpRestore, 'execute'>;
}

/** The databases in a snapshot, each with the way to restore it. */
export function SnapshotDumps({
  own,
  dumps,
}: {
  readonly own: string;
  readonly dumps: readonly SnapshotDump[];
}) {
  if (dumps.length === 0) return null;
  return (
    <section aria-labelledby="dumps-title">
      <h2 id="dumps-title">Database dumps</h2>
      <DataTable
        rows={dumps}
        keyOf={({ path }) => path}
        columns={[
          { head: 'Dump', cell: ({ name }) => name },
          { head: 'Kind', cell: ({ kind }) => DUMP_RULES[kind].label },
          {
            head: 'Database',
            kind: 'code',
            phone: 'label',
            cell: ({ dump }) => (dump === null ? '–' : (dump.database ?? 'all')),
          },
          { head: 'Size', kind: 'number', cell: ({ bytes }) => size(bytes) },
          { head: 'State', kind: 'state', cell: () => <Status tone="good">complete</Status> },
          {
            head: 'Actions',
            kind: 'actions',
            cell: ({ name, path }) => (
              <RowActions about={`dump ${name}`}>
                <Way
                  to={withPlace(`${own}/download`, path)}
                  label="Download"
                  about={`dump ${name}`}
                  download
                />
                <Way to={`${own}/dumps/${name}`} label="Restore" about={`dump ${name}`} />
              </RowActions>
            ),
          },
        ]}
      />
    </section>
  );
}

/** Starts the dry run; its plan is applied from its job page. */
export async function startDumpDryRun(
  { requestDumpRestore }: SnapshotDumpDeps,
  { visitor, params, form }: SignedInVisit,
  { id }: Snapshot,
): Promise<WebReply> {
  return toStarted(() =>
    requestDumpRestore.execute(visitor.actor, {
      snapshotId: id,
      name: params['dump'] ?? '',
      database: textOf(form, 'database') || null,
      dryRun: true,
      confirmation: '',
    }),
  );
}

export async function dumpRestorePage(
  deps: SnapshotDumpDeps,
  { visitor, params, now, gone }: SignedInVisit,
  snapshot: Snapshot,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const name = params['dump'] ?? '';
  const dumps = await deps.listSnapshotDumps.execute(visitor.actor, snapshot.id, gone);
  const found = dumps.find((each) => each.name === name);
  if (!found) throw dumpNotFound(name);
  const server = await deps.getServer.execute(visitor.actor, snapshot.serverId);
  const own = `/snapshots/${snapshot.id}`;
  const { dump, kind, bytes, path } = found;
  const byHand =
    dump === null
      ? `${snapshot.sourceName} no longer has a dump named ${name}, so its connection is not known: add it again under that name, or download the file.`
      : restoreByHand(dump);
  return page(
    'backups',
    `Restore dump ${name}`,
    <form method="post" action={`${own}/dumps/${name}`} class="column">
      <FormFault state={state} />
      <dl class="facts">
        <dt>Dump</dt>
        <dd>
          {name}, {DUMP_RULES[kind].label}, {size(bytes)}
        </dd>
        <dt>Snapshot</dt>
        <dd>
          <a href={own}>
            {snapshot.sourceName}, taken <Ago at={snapshot.startedAt} now={now} />
          </a>
        </dd>
        <dt>Server</dt>
        <dd>
          <a href={`/servers/${server.id}`}>{server.name}</a>
        </dd>
      </dl>
      {byHand === null ? null : <p class="notice">{byHand}</p>}
      {dump !== null && byHand === null ? (
        <>
          {takesOtherDatabase(dump) ? (
            <Field
              state={state}
              name="database"
              label="Target database"
              value={dump.database ?? ''}
              help="The original database, or a different one, which is created if it does not exist."
            />
          ) : null}
          <p>
            The dry run checks the dump, connects to the database and reports its current contents. It changes
            nothing; you apply it on its job page.
          </p>
        </>
      ) : null}
      <p class="actions">
        {dump !== null && byHand === null ? <button type="submit">Start dry run</button> : null}
        <a href={withPlace(`${own}/download`, path)} download>
          Download dump
        </a>
        <a href={own}>Cancel</a>
      </p>
    </form>,
    status,
  );
}
