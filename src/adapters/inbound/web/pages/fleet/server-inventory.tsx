import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { ContainerFact, Inventory, PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Visible rows of a long list; the rest is counted. */
const MAX_ROWS = 500;

/** Security first, then by name; held ones last. */
const byWeight = (a: PendingUpdate, b: PendingUpdate): number =>
  Number(a.held) - Number(b.held) || Number(b.security) - Number(a.security) || (a.name < b.name ? -1 : 1);

/** Pending updates, security fixes first. */
export function UpdateRows({
  inventory,
  checkedAt,
  now,
  install,
}: {
  readonly inventory: Inventory | null;
  readonly checkedAt: Instant | null;
  readonly now: Instant;
  /** Where they are installed, for users who may. */
  readonly install: string | null;
}) {
  const updates = inventory?.updates ?? null;
  const checked = (
    <p class="quiet">
      The package lists were refreshed <Ago at={checkedAt} now={now} />.
    </p>
  );
  if (updates === null) return <p>Updates are unknown: Drover has not checked for updates yet.</p>;
  if (updates.length === 0) {
    return (
      <>
        <p>
          <Status tone="good">No updates are pending.</Status>
        </p>
        {checked}
      </>
    );
  }
  const fixes = updates.filter((update) => update.security).length;
  return (
    <>
      <p>
        {count(updates.length, 'update')}, {fixes === 0 ? 'none of them' : `${fixes} of them`} for security.
      </p>
      {checked}
      {install === null ? null : (
        <p>
          <a class="button" href={install}>
            Install updates
          </a>
        </p>
      )}
      <DataTable
        rows={updates.toSorted(byWeight)}
        max={MAX_ROWS}
        columns={[
          { head: 'Package', kind: 'code', cell: ({ name }) => name },
          { head: 'Installed', kind: 'code', phone: 'label', cell: ({ from }) => from ?? 'new' },
          { head: 'New', kind: 'code', phone: 'label', cell: ({ to }) => to },
          {
            head: 'Kind',
            kind: 'state',
            cell: ({ security, held }) => (
              <>
                {security ? <Status tone="bad">security</Status> : <Status tone="off">ordinary</Status>}{' '}
                {held ? <span class="tag">held</span> : null}
              </>
            ),
          },
          { head: 'Origin', kind: 'text', cell: ({ origin }) => origin },
        ]}
      />
    </>
  );
}

/** Containers by the compose project that they belong to. */
export function Stacks({ inventory }: { readonly inventory: Inventory | null }) {
  const containers = inventory?.containers ?? null;
  if (containers === null) {
    return (
      <p>
        {inventory?.containerEngine
          ? "Containers are unknown: the account cannot use the container engine. Give it sudo, or add it to the engine's group."
          : 'No container engine was found on this host.'}
      </p>
    );
  }
  if (containers.length === 0) return <p class="quiet">There are no containers on this host.</p>;
  const shown = containers.slice(0, MAX_ROWS);
  const projects = [...new Set(shown.map(({ project }) => project))].toSorted((a, b) =>
    a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
  );
  return (
    <>
      {projects.map((project) => (
        <Stack
          key={project ?? ''}
          project={project}
          containers={shown.filter((each) => each.project === project)}
        />
      ))}
      {containers.length > MAX_ROWS ? <p class="quiet">and {containers.length - MAX_ROWS} more</p> : null}
    </>
  );
}

function Stack({
  project,
  containers,
}: {
  readonly project: string | null;
  readonly containers: readonly ContainerFact[];
}) {
  const runningCount = containers.filter((each) => each.running).length;
  const path = containers[0]?.path ?? null;
  return (
    <>
      <h2>{project === null ? 'Outside of stacks' : project}</h2>
      <p class="quiet">
        {runningCount} of {count(containers.length, 'container')} running
        {project === null || path === null ? '' : ', in '}
        {project === null || path === null ? null : <code>{path}</code>}
      </p>
      <DataTable
        rows={containers}
        columns={[
          { head: 'Container', kind: 'code', cell: ({ name }) => name },
          { head: 'Service', cell: ({ service }) => service },
          { head: 'Image', kind: 'code', cell: ({ image }) => image },
          {
            head: 'State',
            kind: 'state',
            cell: ({ running, status }) => <Status tone={running ? 'good' : 'off'}>{status}</Status>,
          },
          {
            head: 'Image is',
            cell: ({ update }) =>
              update === null ? (
                <span class="quiet">not checked</span>
              ) : update ? (
                <Status tone="care">outdated</Status>
              ) : (
                <Status tone="good">current</Status>
              ),
          },
        ]}
      />
    </>
  );
}
