import { urgentNeeds } from '../../../../../application/fleet/get-overview.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { ServerOrder } from '../../../../../domain/fleet/server-list.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Remedy, StartNow, Way } from './remedy.tsx';

/** What a table of servers needs to know about who looks at it, and when. */
export interface Viewer {
  readonly now: Instant;
  /** Backups before it are stale. */
  readonly staleBefore: Instant;
  /** Whether they may act on what they see. */
  readonly mayAct: boolean;
}

const COLUMNS: readonly { readonly by: ServerOrder['by']; readonly label: string }[] = [
  { by: 'name', label: 'Name' },
  { by: 'system', label: 'System' },
  { by: 'updates', label: 'Updates' },
  { by: 'last_backup', label: 'Last backup' },
  { by: 'last_seen', label: 'Last seen' },
];

interface Sorting {
  readonly order: ServerOrder;
  /** The address of the same list in another order. */
  readonly to: (order: ServerOrder) => string;
}

/** Servers in rows, each with what is to be done about it at its end. */
export function ServerTable({
  servers,
  onlooker,
  sorting,
}: {
  readonly servers: readonly Server[];
  readonly onlooker: Viewer;
  readonly sorting?: Sorting;
}) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Heading key={column.by} {...column} sorting={sorting} />
            ))}
            <th scope="col">
              <span class="hidden">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <Row key={server.id} server={server} onlooker={onlooker} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Pressed again, it goes the other way round; what is worst comes first the first time. */
function Heading({
  by,
  label,
  sorting,
}: {
  readonly by: ServerOrder['by'];
  readonly label: string;
  readonly sorting: Sorting | undefined;
}) {
  if (!sorting) return <th scope="col">{label}</th>;
  const { order, to } = sorting;
  const current = order.by === by;
  const descending = current ? !order.descending : by === 'updates';
  return (
    <th scope="col" aria-sort={current ? (order.descending ? 'descending' : 'ascending') : undefined}>
      <a class="sort" href={to({ by, descending })}>
        {label}
        {current ? <span aria-hidden="true">{order.descending ? ' ↓' : ' ↑'}</span> : null}
      </a>
    </th>
  );
}

function Row({ server, onlooker }: { readonly server: Server; readonly onlooker: Viewer }) {
  const { facts, features } = server;
  const { now } = onlooker;
  return (
    <tr>
      <td>
        <a href={`/servers/${server.id}`}>{server.name}</a> <Tags tags={server.tags} />
      </td>
      <td class="text">{facts.osPretty ?? <span class="quiet">not read yet</span>}</td>
      <td>
        <Updates server={server} />
      </td>
      <td>{features.backup ? <Ago at={facts.lastBackupAt} now={now} /> : <span class="quiet">off</span>}</td>
      <td>
        {facts.contactFailedSince === null ? null : (
          <>
            <Status tone="bad">unreachable</Status>{' '}
          </>
        )}
        <Ago at={facts.lastSeenAt} now={now} />
      </td>
      <td class="end">
        <MainAction server={server} onlooker={onlooker} />
      </td>
    </tr>
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
