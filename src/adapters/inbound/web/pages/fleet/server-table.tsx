import type { Instant } from '../../../../../domain/base/instant.ts';
import { isOutOfDate } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { ServerOrder } from '../../../../../domain/fleet/server-list.ts';
import { type StateNeed, stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import { DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Meter } from '../../components/meter.tsx';
import { RowMenu } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { diskPart, NeedPill, needState } from './need-pill.tsx';
import { Remedy } from './remedy.tsx';
import { SupportPill } from './support-pill.tsx';

/** What a table of servers needs to know about its viewer and the time. */
export interface Viewer {
  readonly now: Instant;
  /** Backups before it are stale. */
  readonly staleBefore: Instant;
  /** Whether the viewer may act. */
  readonly mayAct: boolean;
}

/** Servers in rows, each with a menu of its actions. */
export function ServerTable({
  servers,
  onlooker,
  sorting,
  ...table
}: {
  readonly servers: readonly Server[];
  readonly onlooker: Viewer;
  readonly sorting?: Sorting<ServerOrder['by']>;
} & Pick<DataTableProps<Server>, 'empty' | 'paging' | 'select'>) {
  const { now, staleBefore } = onlooker;
  const isFresh = ({ lastBackupAt, diskTotalBytes }: Server['facts']): boolean =>
    lastBackupAt !== null && lastBackupAt >= staleBefore && diskTotalBytes !== null;
  const needOf = (server: Server) => stateNeeds(server, staleBefore)[0];
  return (
    <DataTable
      {...table}
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          sort: sorting?.sort('name'),
          cell: (server) => (
            <>
              <span class={`dot ${needState({ need: needOf(server), server, staleBefore })[0]}`} />
              <a href={`/servers/${server.id}`}>{server.name}</a> <Tags tags={server.tags} />
            </>
          ),
        },
        {
          head: 'Status',
          kind: 'state',
          sort: sorting?.sort('status'),
          cell: (server) => <NeedPill need={needOf(server)} {...{ server, staleBefore }} />,
        },
        {
          head: 'System',
          kind: 'line',
          from: 'wide',
          sort: sorting?.sort('system'),
          cell: ({ facts }) =>
            facts.osPretty === null ? (
              <span class="quiet">not known yet</span>
            ) : (
              <>
                <span title={facts.osPretty}>{withoutCodename(facts.osPretty)}</span>{' '}
                <SupportPill endsAt={facts.supportEndsAt} now={now} />
              </>
            ),
        },
        {
          head: 'Updates',
          kind: 'time',
          phone: 'label',
          sort: sorting?.sort('updates'),
          cell: (server) => <Updates {...{ server, now, staleBefore }} />,
        },
        {
          head: 'Backup',
          // A phone has room for this or the disk.
          phone: ({ facts }) => (isFresh(facts) ? 'hide' : 'label'),
          sort: sorting?.sort('last_backup'),
          cell: ({ features, facts }) =>
            features.backup ? (
              <span class={(facts.lastBackupAt ?? now) < staleBefore ? 'fault' : undefined}>
                <Ago at={facts.lastBackupAt} now={now} />
              </span>
            ) : (
              <span class="quiet">off</span>
            ),
        },
        {
          head: 'Disk',
          kind: 'time',
          phone: ({ facts }) => (isFresh(facts) ? 'label' : 'hide'),
          sort: sorting?.sort('disk'),
          cell: (server) => <Disk server={server} />,
        },
        {
          head: 'Last seen',
          kind: 'time',
          phone: 'hide',
          sort: sorting?.sort('last_seen'),
          cell: ({ facts }) => <Ago at={facts.lastSeenAt} now={now} />,
        },
        onlooker.mayAct && {
          head: 'Actions',
          kind: 'actions',
          cell: (server) => (
            <div class="row">
              <MoreActions server={server} need={needOf(server)} />
            </div>
          ),
        },
      ]}
    />
  );
}

/** `Debian GNU/Linux 12`, without ` (bookworm)`. */
const withoutCodename = (system: string): string => system.replace(/ \([^)]*\)$/, '');

/** What solves the worst need comes first; a reboot is set apart. */
function MoreActions({ server, need }: { readonly server: Server; readonly need: StateNeed | undefined }) {
  const { id, name, features, facts, address } = server;
  const jobs = `/servers/${id}/jobs`;
  return (
    <RowMenu id={`more-${id}`} about={name}>
      {need && need !== 'reboot' ? <Remedy server={server} need={need} hasIcon /> : null}
      {features.backup && need !== 'stale_backup' ? (
        <a href={`${jobs}/new?type=backup`}>
          <Icon name="database-backup" />
          Back up…
        </a>
      ) : null}
      {facts.lastBackupAt === null ? null : (
        <a href={`/servers/${id}/backups`}>
          <Icon name="history" />
          Restore…
        </a>
      )}
      {features.os_patch && need !== 'updates_unknown' ? (
        <a href={`${jobs}/new?type=os_update_check`}>
          <Icon name="refresh-cw" />
          Check for updates…
        </a>
      ) : null}
      {features.os_patch && need !== 'security_updates' ? (
        <a href={`${jobs}/new?type=os_patch`}>
          <Icon name="package" />
          Update packages…
        </a>
      ) : null}
      <a href={jobs}>
        <Icon name="list-checks" />
        Jobs
      </a>
      {address.connection === 'local' ? null : (
        <button type="button" data-copy-text={address.hostname} hidden>
          <Icon name="copy" />
          <span>Copy address</span>
        </button>
      )}
      <a href={`/servers/${id}/settings`}>
        <Icon name="settings" />
        Settings
      </a>
      <hr />
      <a class="danger" href={`${jobs}/new?type=host_reboot`}>
        <Icon name="power" />
        Reboot…
      </a>
    </RowMenu>
  );
}

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

/** How full the root file system is. */
function Disk({ server }: { readonly server: Server }) {
  const { diskUsedBytes, diskTotalBytes } = server.facts;
  const part = diskPart(server);
  if (part === null) return <span class="quiet">unknown</span>;
  return (
    <span class="gauge">
      <span class="desk">
        <Meter
          used={diskUsedBytes ?? 0}
          total={diskTotalBytes ?? 0}
          label={`Disk of ${server.name}: ${part}`}
        />
      </span>
      {part}
    </span>
  );
}

function Updates({
  server,
  now,
  staleBefore,
}: Pick<Viewer, 'now' | 'staleBefore'> & { readonly server: Server }) {
  const { facts } = server;
  const { osUpdatesCount: all, securityUpdatesCount: security } = facts;
  if (all === null || security === null) return <span class="quiet">unknown</span>;
  if (isOutOfDate(server, staleBefore)) {
    return (
      <span class="quiet">
        {all} as of <Ago at={facts.inventoryAt} now={now} />
      </span>
    );
  }
  if (security > 0) {
    return (
      <>
        <Status tone="care">{`${security} security`}</Status>{' '}
        {all > security ? <span class="quiet">+{all - security}</span> : null}
      </>
    );
  }
  return all > 0 ? <>{all}</> : <span class="quiet">0</span>;
}
