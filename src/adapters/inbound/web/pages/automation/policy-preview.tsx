import type {
  ComingUpdates,
  PreviewUpdates,
  ServerForecast,
  UpcomingUpdate,
} from '../../../../../application/automation/preview-updates.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { offsetOf, Paging } from '../../components/paging.tsx';
import { Status } from '../../components/status.tsx';
import { At, LocalTimes } from '../../components/time.tsx';
import { page, type WebRoute } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';

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
            {found.items.every(({ updates }) => updates.length === 0) ? (
              <Empty
                icon="calendar-clock"
                title="No scheduled updates"
                action={
                  mayOperate(visitor.actor, 'any server') ? (
                    <a class="button quiet" href="/schedules/new?type=os_patch">
                      Schedule updates
                    </a>
                  ) : null
                }
              >
                A schedule updates packages or containers at fixed times.
              </Empty>
            ) : (
              runsOf(found.items).map((run) => <Run key={keyOf(run)} run={run} now={now} />)
            )}
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
        return { ...list, header: { sub }, live: { all: true } };
      },
    },
  ];
}

interface Row {
  readonly forecast: ServerForecast;
  readonly update: UpcomingUpdate;
}

/** The next run of a schedule, with the servers that it updates; each may have its own delay. */
type UpdateRun = readonly [Row, ...Row[]];

const keyOf = ([{ update }]: UpdateRun): string => `${update.schedule.id} ${update.jobType}`;

/** The next one first. */
function runsOf(forecasts: readonly ServerForecast[]): readonly UpdateRun[] {
  const runs = new Map<string, [Row, ...Row[]]>();
  for (const forecast of forecasts) {
    for (const update of forecast.updates) {
      const row = { forecast, update };
      const known = runs.get(keyOf([row]));
      if (known) known.push(row);
      else runs.set(keyOf([row]), [row]);
    }
  }
  return [...runs.values()].toSorted((one, other) => startOf(one) - startOf(other));
}

const startOf = (run: UpdateRun): Instant => Math.min(...run.map(({ update }) => update.at));

function Run({ run, now }: { readonly run: UpdateRun; readonly now: Instant }) {
  const [{ update: first }] = run;
  const refused = run.filter(({ update }) => update.refusal !== null).length;
  const hasTurns = run.some(({ update }) => update.turn !== null);
  return (
    <Card
      title={`${jobTitle(first.jobType)}: ${first.schedule.name}`}
      note={
        <>
          <At at={startOf(run)} now={now} /> · {count(run.length, 'server')}
          {refused === 0 ? '' : `, ${refused} of them not started`}
        </>
      }
      actions={
        <a class="button quiet small" href={`/schedules/${first.schedule.id}`}>
          Schedule
        </a>
      }
      flush
    >
      <DataTable
        rows={run}
        keyOf={({ forecast }) => forecast.server.id}
        columns={[
          {
            head: 'Server',
            cell: ({ forecast: { server } }) => <a href={`/servers/${server.id}/updates`}>{server.name}</a>,
          },
          hasTurns && {
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
    </Card>
  );
}

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
