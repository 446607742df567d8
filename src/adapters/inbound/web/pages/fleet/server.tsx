import type { ComponentChildren } from 'preact';
import type { ListSnapshots } from '../../../../../application/backups/list-snapshots.ts';
import type { ListNotifications } from '../../../../../application/events/list-notifications.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { notificationNotFound } from '../../../../../domain/events/notification.ts';
import { staleBefore } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { offsetOf } from '../../components/paging.tsx';
import { idOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { SnapshotRows } from '../backups/snapshot-rows.tsx';
import { AlertTable } from '../events/alert-table.tsx';
import { JobRows } from '../jobs/job-rows.tsx';
import { mayOperate } from './remedy.tsx';
import { ServerFacts, ServerNeeds, SnapshotSizes } from './server-facts.tsx';
import { type ServerTab, serverPage } from './server-frame.tsx';
import { Stacks, UpdateRows } from './server-inventory.tsx';

export interface ServerDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly listSnapshots: Pick<ListSnapshots, 'execute'>;
  readonly listNotifications: Pick<ListNotifications, 'execute'>;
  readonly manageAlerts: Pick<ManageAlerts, 'acknowledge'>;
  readonly settings: { readonly backupStaleHours: number };
}

const ROWS = 50;
const RECENT_JOBS = { limit: 5, offset: 0 };
const RECENT_SNAPSHOTS = { limit: 30, offset: 0 };
/** Sizes are drawn for this many sources. */
const SNAPSHOTS_TOLD = 8;

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
      return serverPage({ server, tab: path, mayAct: mayOperate(actor) }, await show(server, visit));
    },
  });
  return [
    tab('', (server, visit) => overview(deps, server, visit)),
    tab('/updates', async (server, visit) => (
      <UpdateRows
        inventory={await inventoryOf(deps, server, visit)}
        checkedAt={server.facts.lastOsCheckAt}
        now={visit.now}
        install={mayOperate(visit.visitor.actor) ? `/servers/${server.id}/jobs/new?type=os_patch` : null}
      />
    )),
    tab('/containers', async (server, visit) => (
      <Stacks inventory={await inventoryOf(deps, server, visit)} />
    )),
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
        await deps.manageAlerts.acknowledge(visitor.actor, notification);
        return redirect(`/servers/${id}/notifications`);
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
  const [inventory, latest, snapshots] = await Promise.all([
    inventoryOf(deps, server, visit),
    deps.listJobs.execute(visitor.actor, { ...RECENT_JOBS, serverId: server.id }),
    deps.listSnapshots.execute(visitor.actor, server.id, RECENT_SNAPSHOTS),
  ]);
  const onlooker = {
    now,
    mayAct: mayOperate(visitor.actor),
    staleBefore: staleBefore(now, deps.settings.backupStaleHours),
  };
  return (
    <>
      <ServerNeeds server={server} onlooker={onlooker} />
      <ServerFacts server={server} inventory={inventory} now={now} />
      <h2>Latest snapshots</h2>
      <SnapshotSizes snapshots={snapshots.items} />
      <SnapshotRows snapshots={snapshots.items.slice(0, SNAPSHOTS_TOLD)} now={now} />
      {snapshots.total > SNAPSHOTS_TOLD ? (
        <p>
          <a href={`/servers/${server.id}/backups`}>All {snapshots.total} snapshots</a>
        </p>
      ) : null}
      <h2>Latest jobs</h2>
      <JobRows jobs={latest.items} now={now} ofServer />
      {latest.total > latest.items.length ? (
        <p>
          <a href={`/servers/${server.id}/jobs`}>All {latest.total} jobs of this server</a>
        </p>
      ) : null}
    </>
  );
}

async function jobs(deps: ServerDeps, server: Server, { visitor, query, now }: SignedInVisit) {
  const window = { serverId: server.id, limit: ROWS, offset: offsetOf(query) };
  const found = await deps.listJobs.execute(visitor.actor, window);
  return (
    <JobRows
      jobs={found.items}
      now={now}
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
        mayOperate(visitor.actor) ? (id) => `/servers/${server.id}/notifications/${id}/acknowledge` : null
      }
      empty="This server has had no alerts."
      paging={{ found, path: `/servers/${server.id}/notifications`, query }}
    />
  );
}
