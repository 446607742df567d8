import type { ComponentChildren } from 'preact';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { GetServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import type { ListUpdateCves } from '../../../../../application/fleet/list-update-cves.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { notificationNotFound } from '../../../../../domain/events/notification.ts';
import {
  isBackupStale,
  isNotBackedUpYet,
  isOutOfDate,
  staleBefore,
} from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { mayControl } from '../../components/control.tsx';
import { Empty } from '../../components/empty.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { idOf } from '../../form-state.ts';
import { done, type SignedInVisit, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { SnapshotRows } from '../backups/snapshot-rows.tsx';
import { AlertTable } from '../events/alert-table.tsx';
import { JobRows } from '../jobs/job-rows.tsx';
import { turnOnLabel } from '../jobs/turn-on.tsx';
import { type ContainerDeps, containerRoutes } from './container-log.tsx';
import { FirstSource, mayOperate, StartNow } from './remedy.tsx';
import { ServerActivity } from './server-activity.tsx';
import { alertsAsNeeds, failedSince } from './server-causes.ts';
import { Stacks } from './server-containers.tsx';
import { ServerFacts } from './server-facts.tsx';
import { type ServerTab, serverPage, tabOf } from './server-frame.tsx';
import { UpdateRows } from './server-inventory.tsx';
import { ServerMeasures } from './server-measures.tsx';
import { serverMetrics } from './server-metrics.tsx';
import { ServerNeeds } from './server-needs.tsx';
import { UpNext } from './up-next.tsx';

export interface ServerDeps extends ContainerDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly listUpdateCves: Pick<ListUpdateCves, 'execute'>;
  readonly getServerHistory: Pick<GetServerHistory, 'execute' | 'samples'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge'>;
  readonly settings: { readonly backupStaleHours: number };
}

const ROWS = 30;
const RECENT_JOBS = { limit: 5, offset: 0 };
const NEXT_SCHEDULES = { limit: 20, offset: 0 };
const RECENT_SNAPSHOTS = { limit: 30, offset: 0 };
/** Of the latest snapshots, this many are listed. */
const SNAPSHOTS_TOLD = 3;

/** The pages of one server. */
export function serverRoutes(deps: ServerDeps): readonly WebRoute[] {
  const tab = (
    path: ServerTab,
    show: (server: Server, visit: SignedInVisit) => Promise<ComponentChildren>,
  ): WebRoute => ({
    method: 'GET',
    path: `/servers/:id${path}`,
    needs: 'viewer',
    handle: async (visit) => {
      const { actor } = visit.visitor;
      const server = await deps.getServer.execute(actor, serverId(visit.params));
      const reply = serverPage(
        { server, tab: path, mayAct: mayOperate(actor, server.id), live: true },
        await show(server, visit),
      );
      return path === '/metrics' ? { ...reply, script: 'metrics' as const } : reply;
    },
  });
  return [
    {
      method: 'GET',
      path: '/live/servers/:id/head',
      needs: 'viewer',
      byItself: true,
      handle: async ({ visitor: { actor }, params, query }) => {
        const server = await deps.getServer.execute(actor, serverId(params));
        return serverPage(
          { server, tab: tabOf(query.get('tab')), mayAct: mayOperate(actor, server.id) },
          null,
        );
      },
    },
    tab('', (server, visit) => overview(deps, server, visit)),
    tab('/updates', async (server, visit) => {
      const { actor } = visit.visitor;
      const inventory = await inventoryOf(deps, server, visit);
      return (
        <UpdateRows
          path={`/servers/${server.id}/updates`}
          query={visit.query}
          inventory={inventory}
          checkedAt={server.facts.lastOsCheckAt}
          now={visit.now}
          install={
            mayOperate(actor, server.id)
              ? {
                  to: `/servers/${server.id}/jobs/new?type=os_patch`,
                  label: server.features.os_patch ? 'Update packages…' : turnOnLabel('os_patch'),
                }
              : null
          }
          check={
            mayOperate(actor, server.id) && server.features.os_patch ? (
              <StartNow server={server} jobType="os_update_check" label="Check for updates" icon="package" />
            ) : null
          }
          cves={inventory ? await deps.listUpdateCves.execute(actor, server.id, inventory) : new Map()}
        />
      );
    }),
    tab('/containers', async (server, visit) => (
      <Stacks
        inventory={await inventoryOf(deps, server, visit)}
        server={server}
        mayAct={mayOperate(visit.visitor.actor, server.id)}
        mayControlStack={mayControl(visit.visitor.actor, server)}
        query={visit.query}
        now={visit.now}
      />
    )),
    ...containerRoutes(deps),
    tab('/metrics', (server, visit) => serverMetrics(deps, server, visit)),
    tab('/jobs', (server, visit) => jobs(deps, server, visit)),
    tab('/notifications', (server, visit) => notifications(deps, server, visit)),
    {
      method: 'POST',
      path: '/servers/:id/notifications/:notification/acknowledge',
      needs: 'operator',
      handle: async ({ visitor, params }) => {
        const id = serverId(params);
        const notification = idOf(params['notification']);
        if (notification === null) throw notificationNotFound(Number.NaN);
        const { title } = await deps.manageAlerts.acknowledge(visitor.actor, notification);
        return done(`/servers/${id}/notifications`, title);
      },
    },
  ];
}

async function inventoryOf(
  deps: ServerDeps,
  { id }: Server,
  { visitor }: SignedInVisit,
): Promise<Inventory | null> {
  const hosts = await deps.getInventory.execute(visitor.actor, { serverId: id, limit: 1, offset: 0 });
  return hosts.items[0]?.inventory ?? null;
}

async function overview(deps: ServerDeps, server: Server, visit: SignedInVisit): Promise<ComponentChildren> {
  const { visitor, now } = visit;
  const before = staleBefore(now, deps.settings.backupStaleHours);
  const [inventory, history, latest, snapshots, schedules, failedBackups, alerts] = await Promise.all([
    inventoryOf(deps, server, visit),
    deps.getServerHistory.execute(visitor.actor, server.id),
    deps.listJobs.execute(visitor.actor, { ...RECENT_JOBS, serverId: server.id }),
    deps.listSnapshots.execute(visitor.actor, server.id, RECENT_SNAPSHOTS),
    deps.listSchedules.execute(visitor.actor, NEXT_SCHEDULES, { on: server }),
    isBackupStale(server, before) || isNotBackedUpYet(server, before) ? failedSince(deps, server, visit) : [],
    server.worstAlert === null ? [] : alertsAsNeeds(deps, server, visit),
  ]);
  const onlooker = { now, mayAct: mayOperate(visitor.actor, server.id), staleBefore: before };
  const { id } = server;
  return (
    <div class="stack">
      <ServerNeeds server={server} onlooker={onlooker} failedBackups={failedBackups} alerts={alerts} />
      {inventory === null ? null : (
        <ServerMeasures
          id={id}
          inventory={inventory}
          history={history}
          snapshots={snapshots.items}
          isOld={isOutOfDate(server, before)}
          now={now}
        />
      )}
      <div class="main-and-side">
        <div class="stack">
          <ServerActivity server={server} history={history} />
          <Card title="Snapshots" all={`/servers/${id}/backups`} total={snapshots.total}>
            <SnapshotRows
              snapshots={snapshots.items.slice(0, SNAPSHOTS_TOLD)}
              now={now}
              mayOpen={onlooker.mayAct && mayControl(visitor.actor, server)}
              brief
              first={onlooker.mayAct ? <FirstSource server={server} /> : null}
            />
          </Card>
          <Card title="Recent jobs" all={`/servers/${id}/jobs`} total={latest.total}>
            <JobRows jobs={latest.items} now={now} ofServer />
          </Card>
        </div>
        <div class="stack">
          <section class="card">
            <header>
              <h2>Details</h2>
            </header>
            <div class="body">
              <ServerFacts server={server} inventory={inventory} now={now} />
            </div>
          </section>
          <UpNext schedules={schedules.items} now={now} all={`/servers/${id}/schedules`} />
          {server.notes === '' ? null : (
            <section class="card">
              <header>
                <h2>Notes</h2>
              </header>
              <p class="body notes">{server.notes}</p>
            </section>
          )}
        </div>
      </div>
    </div>
  );
}

const Card = ({
  title,
  all,
  total,
  children,
}: {
  readonly title: string;
  readonly all: string;
  readonly total: number;
  readonly children: ComponentChildren;
}) => (
  <section class="card brief">
    <header>
      <h2>{title}</h2>
      {total === 0 ? null : (
        <span class="acts">
          <a class="button ghost small" href={all} aria-label={`All ${total}: ${title}`}>
            All {total}
          </a>
        </span>
      )}
    </header>
    {children}
  </section>
);

async function jobs(deps: ServerDeps, server: Server, { visitor, query, now }: SignedInVisit) {
  const window = { serverId: server.id, limit: ROWS, offset: offsetOf(query) };
  const found = await deps.listJobs.execute(visitor.actor, window);
  return (
    <JobRows
      jobs={found.items}
      now={now}
      actor={visitor.actor}
      ofServer
      paging={{ found, path: `/servers/${server.id}/jobs`, query }}
    />
  );
}

async function notifications(deps: ServerDeps, server: Server, { visitor, query, now }: SignedInVisit) {
  const window = { limit: ROWS, offset: offsetOf(query) };
  const found = await deps.listNotifications.execute(visitor.actor, { serverId: server.id }, window);
  return (
    <AlertTable
      alerts={found.items}
      now={now}
      ofServer
      acknowledge={
        mayOperate(visitor.actor, server.id)
          ? (id) => `/servers/${server.id}/notifications/${id}/acknowledge`
          : null
      }
      empty={
        <Empty
          icon="bell"
          title="This server has had no alerts"
          action={
            <a class="button quiet small" href="/settings/alerts/policy">
              Alert rules
            </a>
          }
        >
          The rules say what causes one, and who is notified.
        </Empty>
      }
      paging={{ found, path: `/servers/${server.id}/notifications`, query }}
    />
  );
}
