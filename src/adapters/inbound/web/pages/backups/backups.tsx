import { type ListFleetBackups, STRIP_DAYS } from '../../../../../application/backups/list-fleet-backups.ts';
import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { PreviewRetention } from '../../../../../application/backups/preview-retention.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { GetServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import type { GetJobDays } from '../../../../../application/jobs/job-days.ts';
import type { JobRequest, TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SNAPSHOT_ORDERS } from '../../../../../domain/base/list-orders.ts';
import type { JobDay } from '../../../../../domain/fleet/day-strip.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Card } from '../../components/card.tsx';
import { mayControl } from '../../components/control.tsx';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { Ago } from '../../components/time.tsx';
import { requireName } from '../../confirm-name.ts';
import { formRoute } from '../../form-state.ts';
import { toStarted } from '../../job-started.ts';
import type { SignedInVisit, WebReply, WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { StartNow, TurnOnBackups } from '../fleet/remedy.tsx';
import { JobStrip } from '../fleet/server-activity.tsx';
import { serverPage } from '../fleet/server-frame.tsx';
import { fleetPage } from './fleet-backups.tsx';
import { policyWords, RetentionPreview } from './retention-preview.tsx';
import { EngineTag, SnapshotRows } from './snapshot-rows.tsx';

export interface BackupDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getServerHistory: Pick<GetServerHistory, 'sources'>;
  readonly listFleetBackups: Pick<ListFleetBackups, 'execute' | 'totals' | 'space'>;
  readonly getJobDays: Pick<GetJobDays, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list'>;
  readonly previewRetention: Pick<PreviewRetention, 'execute'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

/** Of the fleet, or of one server. */
const ROWS = 25;

/** How the fleet is backed up, and each server's snapshots. */
export function backupRoutes(deps: BackupDeps): readonly WebRoute[] {
  return [
    ...listRoutes('/backups', 'viewer', (visit) => fleetPage(deps, visit)),
    {
      method: 'GET',
      path: '/servers/:id/backups',
      needs: 'viewer',
      handle: (visit) => snapshotsPage(deps, visit),
    },
    {
      method: 'POST',
      path: '/servers/:id/backups',
      needs: 'operator',
      handle: ({ visitor, params, form }) => {
        const sourceFilter = form.get('source') || undefined;
        return toJob(deps, visitor.actor, { serverId: serverId(params), jobType: 'backup', sourceFilter });
      },
    },
    {
      method: 'GET',
      path: '/servers/:id/backups/retention',
      needs: 'viewer',
      handle: (visit) => retentionPage(deps, visit, NEW_FORM),
    },
    formRoute(
      '/servers/:id/backups/retention',
      async (visit) => {
        const { id, name } = await serverOf(deps, visit);
        requireName(visit.form, name, 'the server');
        return toJob(deps, visit.visitor.actor, { serverId: id, jobType: 'retention' });
      },
      (visit, state) => retentionPage(deps, visit, state, 422),
      { needs: 'operator' },
    ),
  ];
}

/** Starts a job and redirects to it, or to an active one of the same kind. */
export const toJob = (
  { triggerJob }: Pick<BackupDeps, 'triggerJob'>,
  actor: Actor,
  request: JobRequest,
): Promise<WebReply> => toStarted(() => triggerJob.execute(actor, request), request);

const serverOf = ({ getServer }: BackupDeps, { visitor, params }: SignedInVisit): Promise<Server> =>
  getServer.execute(visitor.actor, serverId(params));

async function snapshotsPage(deps: BackupDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query, now } = visit;
  const { actor } = visitor;
  const server = await serverOf(deps, visit);
  const path = `/servers/${server.id}/backups`;
  const usual = { by: 'taken', descending: true } as const;
  const largestFirst = SNAPSHOT_ORDERS.filter((each) => each !== 'source');
  const sorting = sortingOf({ path, query, keys: SNAPSHOT_ORDERS, usual, largestFirst });
  const window = { limit: ROWS, offset: offsetOf(query) };
  const [sources, daysOf, found] = await Promise.all([
    deps.manageSources.list(actor, server.id),
    deps.getServerHistory.sources(actor, server.id, STRIP_DAYS),
    deps.listSnapshots.execute(actor, server.id, window, sorting.order),
  ]);
  const mayAct = actor.may('jobs', server.id);
  return serverPage(
    { server, tab: '/backups', mayAct, live: true },
    <div class="stack">
      {server.features.backup ? null : (
        <div class="banner">
          <Icon name="info" />
          <div>Backups are turned off for this server.</div>
          {mayAct ? <TurnOnBackups server={server} /> : null}
        </div>
      )}
      {sources.length === 0 && found.total === 0 ? (
        <Empty
          icon="database-backup"
          title="Nothing on this server is backed up yet"
          action={
            mayAct && server.features.backup ? (
              <a class="button quiet small" href={`/servers/${server.id}/sources`}>
                Choose what to back up
              </a>
            ) : null
          }
        >
          A backup source says which folders and databases are backed up, and how long snapshots are kept.
        </Empty>
      ) : (
        <>
          <Card
            title="Snapshots"
            note={found.total}
            actions={
              found.total === 0 ? null : (
                <a class="button quiet small" href={`${path}/retention`}>
                  Preview retention
                </a>
              )
            }
            flush
          >
            {found.total === 0 ? (
              <Empty
                icon="history"
                title="No snapshots yet"
                action={
                  mayAct && server.features.backup ? (
                    <StartNow server={server} jobType="backup" label="Back up now" icon="database-backup" />
                  ) : null
                }
              >
                The first backup creates one for each source.
              </Empty>
            ) : (
              <SnapshotRows
                snapshots={found.items}
                now={now}
                mayOpen={mayAct && mayControl(actor, server)}
                sorting={sorting}
                paging={{ found, path, query }}
              />
            )}
          </Card>
          <Card title="Sources" note={sources.length} flush>
            <Sources {...{ sources, daysOf, server, now, mayAct }} />
          </Card>
        </>
      )}
    </div>,
  );
}

interface SourcesProps {
  readonly daysOf: (source: BackupSource) => readonly JobDay[];
  readonly sources: readonly BackupSource[];
  readonly server: Server;
  readonly now: Instant;
  readonly mayAct: boolean;
}

function Sources({ sources, daysOf, server, now, mayAct }: SourcesProps) {
  return (
    <DataTable
      rows={sources}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="database-backup">
          Nothing on this server is backed up yet.{' '}
          <a href={`/servers/${server.id}/sources`}>Choose what to back up</a>
        </Empty>
      }
      columns={[
        {
          head: 'Name',
          cell: ({ name, engine }) => (
            <>
              {name} <EngineTag engine={engine} />
            </>
          ),
        },
        { head: 'Paths', kind: 'code', cell: ({ paths }) => paths.join(', ') },
        {
          head: 'Last success',
          phone: 'label',
          cell: ({ lastSuccessAt }) => <Ago at={lastSuccessAt} now={now} />,
        },
        {
          head: `Last ${STRIP_DAYS} days`,
          phone: 'hide',
          cell: (source) => (
            <JobStrip
              days={daysOf(source)}
              name={`Backups of ${source.name}`}
              filter={{ server: server.name, type: 'backup' }}
            />
          ),
        },
        { head: 'Retention', phone: 'label', cell: ({ retention }) => policyWords(retention) },
        mayAct &&
          server.features.backup && {
            head: 'Actions',
            kind: 'actions',
            cell: ({ name }) => (
              <RowButton
                action={`/servers/${server.id}/backups`}
                label="Back up now"
                about={name}
                fields={{ source: name }}
              />
            ),
          },
      ]}
    />
  );
}

async function retentionPage(
  deps: BackupDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { actor } = visit.visitor;
  const server = await serverOf(deps, visit);
  const sources = await deps.previewRetention.execute(actor, server.id);
  const mayAct = actor.may('jobs', server.id) && server.features.backup;
  return serverPage(
    { server, tab: '/backups', mayAct: actor.may('jobs', server.id), status },
    <RetentionPreview
      {...{ sources, server, state, mayAct }}
      now={visit.now}
      all={visit.query.get('all') !== null}
    />,
  );
}
