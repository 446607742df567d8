import type {
  ComingUpdates,
  PreviewUpdates,
  ServerForecast,
  UpcomingUpdate,
} from '../../../../../application/automation/preview-updates.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { offsetOf, Paging } from '../../components/paging.tsx';
import { Status } from '../../components/status.tsx';
import { At, LocalTimes } from '../../components/time.tsx';
import { page, type WebRoute } from '../../route.ts';

export interface PolicyPreviewDeps {
  readonly previewUpdates: Pick<PreviewUpdates, 'coming'>;
}

const PATH = '/policies/preview';
const PAGE = 25;
/** Longer lists are counted. */
const MAX_NAMED = 5;
const MAX_IDLE = 200;

/** What schedules will update next on each server, and why not more. */
export function policyPreviewRoutes({ previewUpdates }: PolicyPreviewDeps): readonly WebRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async ({ visitor, query, now }) => {
        const request = { limit: PAGE, offset: offsetOf(query) };
        const { page: found, idle } = await previewUpdates.coming(visitor.actor, request);
        const list = page(
          'jobs',
          'Next updates',
          <div class="stack">
            <DataTable
              rows={found.items.flatMap(rowsOf)}
              keyOf={({ forecast, update }) => `${forecast.server.id} ${update.jobType}`}
              empty={
                <Empty icon="calendar-clock" title="No scheduled updates">
                  Create a schedule that updates packages or containers.
                </Empty>
              }
              columns={[
                {
                  head: 'Server',
                  cell: ({ forecast: { server } }) => (
                    <a href={`/servers/${server.id}/updates`}>{server.name}</a>
                  ),
                },
                {
                  head: 'Job',
                  kind: 'text',
                  phone: 'line',
                  cell: ({ update }) => <Job update={update} now={now} />,
                },
                {
                  head: 'Turn',
                  kind: 'text',
                  phone: 'label',
                  cell: ({ update }) => <Turn update={update} />,
                },
                {
                  head: 'Policy',
                  kind: 'text',
                  phone: 'label',
                  cell: ({ forecast }) => forecast.policy?.name ?? 'none',
                },
                {
                  head: 'Installs',
                  kind: 'text',
                  phone: 'label',
                  cell: ({ update }) => <Installs update={update} />,
                },
                {
                  head: 'Held back',
                  kind: 'text',
                  phone: 'label',
                  cell: ({ update }) => <Held update={update} />,
                },
              ]}
            />
            <Paging found={found} path={PATH} query={query} />
            <Idle servers={idle} />
            <p class="help">
              What the next scheduled update of each server will install, by what Drover knows now: the
              schedules, maintenance windows and patch policies, and the last inventory. Turn: the server’s
              place in the order that its policy sets; any: the policy sets no order.
            </p>
          </div>,
        );
        const sub = `${count(found.total, 'server')} with scheduled updates, ${idle.length} without`;
        return { ...list, header: { sub } };
      },
    },
  ];
}

interface Row {
  readonly forecast: ServerForecast;
  readonly update: UpcomingUpdate;
}

const rowsOf = (forecast: ServerForecast): readonly Row[] =>
  forecast.updates.map((update) => ({ forecast, update }));

/** Servers that would fill the table without saying anything. */
function Idle({ servers }: { readonly servers: ComingUpdates['idle'] }) {
  if (servers.length === 0) return null;
  return (
    <details class="notice">
      <summary>{`${count(servers.length, 'server')} without scheduled updates`}</summary>
      <p class="tag-line">
        {servers.slice(0, MAX_IDLE).map(({ id, name }) => (
          <a key={id} class="tag" href={`/servers/${id}/updates`}>
            {name}
          </a>
        ))}
        {servers.length > MAX_IDLE ? ` and ${grouped(servers.length - MAX_IDLE)} more` : null}
      </p>
      <p>
        <a href="/schedules/new?type=os_patch">Schedule updates</a>
      </p>
    </details>
  );
}

const Job = ({ update, now }: Pick<Row, 'update'> & { readonly now: Instant }) => (
  <>
    {jobTitle(update.jobType)}
    <span class="under">
      {update.schedule.name}, <At at={update.at} now={now} />
    </span>
  </>
);

function Turn({ update: { turn } }: Pick<Row, 'update'>) {
  if (turn === null) return <>any</>;
  const ring = `ring ${turn.ring}${turn.ringTag === null ? '' : ` (${turn.ringTag})`}`;
  return <>{turn.turn === null ? ring : `${turn.turn}, ${ring}`}</>;
}

const named = (names: readonly string[]): string =>
  names.length > MAX_NAMED
    ? `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`
    : names.join(', ');

function Installs({ update }: Pick<Row, 'update'>) {
  if (update.refusal !== null)
    return (
      <>
        <Status tone="off">does not start</Status> <LocalTimes text={update.refusal.message} />
      </>
    );
  if (update.installs === null) return <>unknown: Drover has not read the server yet</>;
  return <>{update.installs.length === 0 ? 'nothing' : named(update.installs)}</>;
}

function Held({ update: { held } }: Pick<Row, 'update'>) {
  if (held.length === 0) return <>nothing</>;
  return (
    <details>
      <summary>{count(held.length, 'update')}</summary>
      <ul>
        {held.slice(0, 10 * MAX_NAMED).map(({ name, reason }) => (
          <li key={name}>
            {name}: <LocalTimes text={reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}
