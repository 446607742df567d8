import type { Instant } from '../../../../../domain/base/instant.ts';
import { isWithin } from '../../../../../domain/base/path-within.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isUnreachable } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { ContainerFact, Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { Chevron, Menu } from '../../components/menu.tsx';
import { type Sorting, sortedRows, sortingOf } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Ports, State, uptime } from './container-cells.tsx';

/** Visible rows of a long list; the rest is counted. */
const MAX_ROWS = 500;

const ORDERS = {
  container: ({ name }: ContainerFact) => name,
  image: ({ image }: ContainerFact) => image,
  state: ({ running }: ContainerFact) => (running ? 1 : 0),
  update: ({ update }: ContainerFact) => update,
} as const;
type ContainerOrder = keyof typeof ORDERS;

/** Containers by the compose project that they belong to. */
export function Stacks({
  inventory,
  server,
  mayAct,
  mayControlStack,
  query,
  now,
}: {
  /** May edit and deploy stacks. */
  readonly mayControlStack: boolean;
  readonly inventory: Inventory | null;
  readonly query: URLSearchParams;
  readonly server: Server;
  readonly mayAct: boolean;
  readonly now: Instant;
}) {
  const containers = inventory?.containers ?? null;
  if (containers === null) {
    return (
      <Empty icon="boxes">
        {inventory?.containerEngine
          ? "Containers are unknown: the account cannot use the container engine. Give it sudo, or add it to the engine's group."
          : 'No container engine was found on this server.'}
      </Empty>
    );
  }
  if (containers.length === 0) return <Empty icon="boxes">No containers on this server.</Empty>;
  const shown = containers.slice(0, MAX_ROWS);
  const sorting = sortingOf({
    path: `/servers/${server.id}/containers`,
    query,
    keys: Object.keys(ORDERS) as ContainerOrder[],
    usual: { by: 'container', descending: false },
    largestFirst: ['update'],
  });
  const projects = [...new Set(shown.map(({ project }) => project))].toSorted((a, b) =>
    a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
  );
  return (
    <div class="stack same-columns">
      {inventory !== null && isUnreachable(server) ? (
        <p class="quiet">
          The server is unreachable: values as of <Ago at={inventory.at} now={now} />.
        </p>
      ) : null}
      {projects.map((project) => (
        <Stack
          key={project ?? ''}
          project={project}
          containers={shown.filter((each) => each.project === project)}
          server={server}
          mayAct={mayAct}
          mayControlStack={mayControlStack}
          sorting={sorting}
        />
      ))}
      {containers.length > MAX_ROWS ? <p class="quiet">and {containers.length - MAX_ROWS} more</p> : null}
    </div>
  );
}

function Stack({
  project,
  containers,
  server,
  mayAct,
  mayControlStack,
  sorting,
}: {
  readonly mayControlStack: boolean;
  readonly sorting: Sorting<ContainerOrder>;
  readonly project: string | null;
  readonly containers: readonly ContainerFact[];
  readonly server: Server;
  readonly mayAct: boolean;
}) {
  const runningCount = containers.filter((each) => each.running).length;
  const path = containers[0]?.path ?? null;
  const outdated = containers.filter(({ update }) => update === true).length;
  return (
    <section class="card">
      <header>
        <h2>{project === null ? 'Not in a stack' : project}</h2>
        <span class="quiet">
          {runningCount} of {count(containers.length, 'container')} running
          {project === null || path === null ? null : (
            <>
              , in <code>{path}</code>
            </>
          )}
        </span>
        <div class="acts">
          {mayAct && server.features.docker && path !== null && project !== null ? (
            <>
              {outdated > 0 ? (
                <a
                  class="button small"
                  href={jobPath(server, 'container_patch', path, null)}
                  aria-label={`Update the stack ${project}, ${count(outdated, 'outdated image')}`}
                >
                  Update…
                </a>
              ) : null}
              <Menu
                id={`stack-${project}`}
                label={`Actions of the stack ${project}`}
                button="quiet small"
                face={
                  <>
                    Actions <Chevron />
                  </>
                }
              >
                <JobLinks server={server} directory={path} service={null} isRunning={runningCount > 0} />
                {mayControlStack ? <StackLinks server={server} directory={path} /> : null}
              </Menu>
            </>
          ) : null}
        </div>
      </header>
      <DataTable
        rows={sortedRows(containers, sorting.order, ORDERS)}
        columns={[
          {
            head: 'Container',
            kind: 'code',
            sort: sorting.sort('container'),
            cell: ({ name, service }) => <span title={service ?? undefined}>{name}</span>,
          },
          {
            head: 'Image',
            kind: 'line',
            phone: 'line',
            sort: sorting.sort('image'),
            cell: ({ image }) => <code title={image}>{image}</code>,
          },
          {
            head: 'Ports',
            phone: 'label',
            cell: ({ ports }) => {
              if (ports === undefined) return <span class="quiet">unknown</span>;
              return ports.length === 0 ? null : <Ports ports={ports} />;
            },
          },
          {
            head: 'State',
            kind: 'state',
            sort: sorting.sort('state'),
            cell: (container) => <State container={container} />,
          },
          {
            head: 'Uptime',
            kind: 'time',
            phone: 'label',
            cell: (container) => <span title={container.status}>{uptime(container)}</span>,
          },
          {
            head: 'Image state',
            sort: sorting.sort('update'),
            cell: ({ update }) =>
              update === null ? (
                <span class="quiet">not checked</span>
              ) : update ? (
                <Status tone="care">outdated</Status>
              ) : (
                <Status tone="good">current</Status>
              ),
          },
          mayAct && {
            head: 'Actions',
            kind: 'actions',
            cell: (container) => <ContainerActions container={container} server={server} />,
          },
        ]}
      />
    </section>
  );
}

interface ActionsProps {
  readonly container: ContainerFact;
  readonly server: Server;
}

function ContainerActions({ container: { name, path, service, running }, server }: ActionsProps) {
  return (
    <div class="row">
      <a
        class="button quiet small"
        href={`/servers/${server.id}/containers/${encodeURIComponent(name)}/log`}
        aria-label={`Logs: ${name}`}
      >
        Logs
      </a>
      {server.features.docker && path !== null && service !== null ? (
        <Menu
          id={`container-${name}`}
          label={`More actions: ${name}`}
          button="ghost icon small"
          face={<Icon name="ellipsis" />}
        >
          <JobLinks server={server} directory={path} service={service} isRunning={running} />
        </Menu>
      ) : null}
    </div>
  );
}

interface JobLinksProps {
  readonly server: Server;
  readonly directory: string;
  /** Null: the whole stack. */
  readonly service: string | null;
  readonly isRunning: boolean;
}

/** What changes the definition of a stack, and applies it. */
const StackLinks = ({ server: { id, jail }, directory }: Pick<JobLinksProps, 'server' | 'directory'>) => (
  <>
    {jail !== null && isWithin(directory, jail) ? (
      <a href={`/servers/${id}/files/compose?${new URLSearchParams({ directory })}`}>
        <Icon name="pencil" />
        Edit compose file
      </a>
    ) : null}
    <a
      href={`/servers/${id}/jobs/new?${new URLSearchParams({ type: 'docker_stack_deploy', source_filter: directory })}`}
    >
      <Icon name="boxes" />
      Deploy…
    </a>
  </>
);

/** The form of a job of one stack or service. */
const jobPath = ({ id }: Server, type: JobType, directory: string, service: string | null): string =>
  `/servers/${id}/jobs/new?${new URLSearchParams({ type, source_filter: directory, ...(service === null ? {} : { service }) })}`;

/** Jobs of one stack or service; each shows its dry run first. */
const JobLinks = ({ server, directory, service, isRunning }: JobLinksProps) => (
  <>
    {ACTIONS.filter(({ of }) => of === 'both' || (of === 'running') === isRunning).map(
      ({ type, icon, label }) => (
        <a key={type} href={jobPath(server, type, directory, service)}>
          <Icon name={icon} />
          {label}
        </a>
      ),
    )}
  </>
);

interface ContainerAction {
  readonly type: JobType;
  readonly icon: IconName;
  readonly label: string;
  readonly of: 'running' | 'stopped' | 'both';
}

const ACTIONS: readonly ContainerAction[] = [
  { type: 'container_patch', icon: 'package', label: 'Update…', of: 'both' },
  { type: 'docker_stack_restart', icon: 'rotate-ccw', label: 'Restart…', of: 'running' },
  { type: 'docker_stack_stop', icon: 'square', label: 'Stop…', of: 'running' },
  { type: 'docker_stack_start', icon: 'play', label: 'Start…', of: 'stopped' },
];
