import { urgentNeeds } from '../../../../../application/fleet/get-overview.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { ServerOrder } from '../../../../../domain/fleet/server-list.ts';
import { DataTable, type DataTableProps, type Sort } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Remedy, StartNow, Way } from './remedy.tsx';

/** What a table of servers needs to know about its viewer and the time. */
export interface Viewer {
  readonly now: Instant;
  /** Backups before it are stale. */
  readonly staleBefore: Instant;
  /** Whether the viewer may act. */
  readonly mayAct: boolean;
}

interface Sorting {
  readonly order: ServerOrder;
  /** The address of the same list in another order. */
  readonly to: (order: ServerOrder) => string;
}

/** Servers in rows, each with its main action. */
export function ServerTable({
  servers,
  onlooker,
  sorting,
  ...table
}: {
  readonly servers: readonly Server[];
  readonly onlooker: Viewer;
  readonly sorting?: Sorting;
} & Pick<DataTableProps<Server>, 'empty' | 'paging' | 'select'>) {
  const { now } = onlooker;
  return (
    <DataTable
      {...table}
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          sort: sortOf(sorting, 'name'),
          cell: ({ id, name, tags }) => (
            <>
              <a href={`/servers/${id}`}>{name}</a> <Tags tags={tags} />
            </>
          ),
        },
        {
          head: 'System',
          kind: 'text',
          sort: sortOf(sorting, 'system'),
          cell: ({ facts }) => facts.osPretty ?? <span class="quiet">not read yet</span>,
        },
        {
          head: 'Updates',
          kind: 'state',
          sort: sortOf(sorting, 'updates'),
          cell: (server) => <Updates server={server} />,
        },
        {
          head: 'Last backup',
          phone: 'label',
          sort: sortOf(sorting, 'last_backup'),
          cell: ({ features, facts }) =>
            features.backup ? <Ago at={facts.lastBackupAt} now={now} /> : <span class="quiet">off</span>,
        },
        {
          head: 'Last seen',
          phone: 'hide',
          sort: sortOf(sorting, 'last_seen'),
          cell: ({ facts }) => (
            <>
              {facts.contactFailedSince === null ? null : <Status tone="bad">unreachable</Status>}{' '}
              <Ago at={facts.lastSeenAt} now={now} />
            </>
          ),
        },
        {
          head: 'Actions',
          kind: 'actions',
          cell: (server) => (
            <div class="row">
              <MainAction server={server} onlooker={onlooker} />
              {table.select ? <MoreActions server={server} /> : null}
            </div>
          ),
        },
      ]}
    />
  );
}

/** A second click reverses the order; updates start with the most. */
function sortOf(sorting: Sorting | undefined, by: ServerOrder['by']): Sort | undefined {
  if (!sorting) return undefined;
  const { order, to } = sorting;
  const current = order.by === by;
  const descending = current ? !order.descending : by === 'updates';
  const direction = order.descending ? 'descending' : 'ascending';
  return { href: to({ by, descending }), direction: current ? direction : null };
}

const MoreActions = ({ server: { id, name, features } }: { readonly server: Server }) => (
  <Menu
    id={`more-${id}`}
    label={`More actions: ${name}`}
    button="ghost icon small"
    face={<Icon name="ellipsis" />}
  >
    {features.backup ? <a href={`/servers/${id}/jobs/new?type=backup`}>Back up…</a> : null}
    {features.os_patch ? (
      <>
        <a href={`/servers/${id}/jobs/new?type=os_update_check`}>Check for updates…</a>
        <a href={`/servers/${id}/jobs/new?type=os_patch`}>Install updates…</a>
      </>
    ) : null}
    <a href={`/servers/${id}/jobs/new?type=host_reboot`}>Reboot…</a>
    <a href={`/servers/${id}/jobs`}>Jobs</a>
    <a href={`/servers/${id}/settings`}>Settings</a>
  </Menu>
);

export const Tags = ({ tags }: { readonly tags: readonly string[] }) => (
  <>
    {tags.map((tag) => (
      <>
        <a key={tag} class="tag" href={`/servers?tag=${encodeURIComponent(tag)}`}>
          {tag}
        </a>{' '}
      </>
    ))}
  </>
);

function MainAction({ server, onlooker }: { readonly server: Server; readonly onlooker: Viewer }) {
  const open = <Way to={`/servers/${server.id}`} label="Open" about={server.name} />;
  if (!onlooker.mayAct) return open;
  const [worst] = urgentNeeds(server, onlooker.staleBefore);
  if (worst) return <Remedy server={server} need={worst} />;
  return server.features.backup ? <StartNow server={server} jobType="backup" label="Back up" plain /> : open;
}

export function Updates({ server: { facts } }: { readonly server: Server }) {
  const { osUpdatesCount, securityUpdatesCount } = facts;
  return (
    <>
      {securityUpdatesCount ? (
        <Status tone="bad">{`${securityUpdatesCount} security`}</Status>
      ) : osUpdatesCount ? (
        <Status tone="care">{`${osUpdatesCount} pending`}</Status>
      ) : osUpdatesCount === null || securityUpdatesCount === null ? (
        <span class="quiet">unknown</span>
      ) : (
        <Status tone="good">none</Status>
      )}{' '}
      {facts.rebootPending ? <Status tone="care">reboot</Status> : null}
    </>
  );
}
