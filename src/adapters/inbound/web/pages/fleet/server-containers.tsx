import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isUnreachable } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { ContainerFact, Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Chevron, Menu } from '../../components/menu.tsx';
import { type Sorting, sortedRows, sortingOf } from '../../components/sorting.ts';
import { Ago } from '../../components/time.tsx';
import { ContainerActions, JobLinks, jobPath, StackLinks } from './container-actions.tsx';
import {
  cpuText,
  ImageState,
  memoryText,
  Ports,
  State,
  Unknown,
  usageText,
  withoutRegistry,
} from './container-cells.tsx';
import { CheckNow } from './remedy.tsx';

/** Visible rows of a long list; the rest is counted. */
const MAX_ROWS = 500;

const ORDERS = {
  container: ({ name }: ContainerFact) => name,
  image: ({ image }: ContainerFact) => image,
  state: ({ running }: ContainerFact) => (running ? 1 : 0),
  cpu: ({ cpuPercent }: ContainerFact) => cpuPercent ?? null,
  memory: ({ memoryBytes }: ContainerFact) => memoryBytes ?? null,
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
  if (containers === null || containers.length === 0)
    return <NoContainers {...{ inventory, server, mayAct }} />;
  const shown = containers.slice(0, MAX_ROWS);
  const sorting = sortingOf({
    path: `/servers/${server.id}/containers`,
    query,
    keys: Object.keys(ORDERS) as ContainerOrder[],
    usual: { by: 'container', descending: false },
    largestFirst: ['cpu', 'memory', 'update'],
  });
  const projects = [...new Set(shown.map(({ project }) => project))].toSorted((a, b) =>
    a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
  );
  return (
    <div class="stack same-columns">
      {/* Of others, the head of the page says when they were seen. */}
      {inventory === null || !isUnreachable(server) ? null : (
        <p class="quiet">
          The server is unreachable: values as of <Ago at={inventory.at} now={now} />.
        </p>
      )}
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
          {usageText(containers)}
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
                  class="button quiet small"
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
            cell: ({ image, update }) => (
              <>
                <code title={image}>{withoutRegistry(image)}</code>{' '}
                <span class="phone">
                  <ImageState update={update} />
                </span>
              </>
            ),
          },
          {
            head: 'State',
            kind: 'state',
            sort: sorting.sort('state'),
            cell: (container) => <State container={container} />,
          },
          {
            head: 'CPU',
            kind: 'number',
            sort: sorting.sort('cpu'),
            cell: ({ running, cpuPercent }) => (running ? cpuText(cpuPercent) : null),
          },
          {
            head: 'Memory',
            kind: 'number',
            sort: sorting.sort('memory'),
            cell: ({ running, memoryBytes }) => (running ? memoryText(memoryBytes) : null),
          },
          {
            head: 'Ports',
            phone: 'label',
            cell: ({ ports }) => {
              if (ports === undefined) return <Unknown />;
              return ports.length === 0 ? null : <Ports ports={ports} server={server} />;
            },
          },
          {
            head: 'Image state',
            sort: sorting.sort('update'),
            phone: 'hide',
            cell: ({ update }) => <ImageState update={update} />,
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

/** Why there are none, and the next step. */
function NoContainers({
  inventory,
  server,
  mayAct,
}: {
  readonly inventory: Inventory | null;
  readonly server: Server;
  readonly mayAct: boolean;
}) {
  const refresh = mayAct ? <CheckNow server={server} label="Refresh" icon="refresh-cw" /> : null;
  if (inventory === null)
    return (
      <Empty icon="boxes" title="Containers are unknown" action={refresh}>
        Drover has not read this server yet.
      </Empty>
    );
  if (inventory.containerEngine === null)
    return (
      <Empty icon="boxes" title="No container engine was found on this server" action={refresh}>
        Install Docker or Podman on it, then refresh.
      </Empty>
    );
  if (inventory.containers === null)
    return (
      <Empty
        icon="boxes"
        title="Containers are unknown"
        action={
          mayAct ? (
            <a class="button quiet small" href={`/servers/${server.id}/settings`}>
              Edit access
            </a>
          ) : null
        }
      >
        The account cannot use the container engine. Give it sudo, or add it to the engine's group.
      </Empty>
    );
  return (
    <Empty
      icon="boxes"
      title="No containers on this server"
      action={
        mayAct ? (
          <a class="button quiet small" href="/templates">
            Deploy a template
          </a>
        ) : null
      }
    >
      Deploy a Compose project from a template, or start containers on the server.
    </Empty>
  );
}
