import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { ContainerFact, Inventory, PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

/** Rows of a long list that are shown; the rest is told as a number. */
const MAX_ROWS = 500;

/** Security first, then by name; held ones last. */
const byWeight = (a: PendingUpdate, b: PendingUpdate): number =>
  Number(a.held) - Number(b.held) || Number(b.security) - Number(a.security) || (a.name < b.name ? -1 : 1);

/** Packages that wait for their upgrade, those that mend a fault first. */
export function UpdateRows({
  inventory,
  checkedAt,
  now,
  install,
}: {
  readonly inventory: Inventory | null;
  readonly checkedAt: Instant | null;
  readonly now: Instant;
  /** Where they are installed, for those who may. */
  readonly install: string | null;
}) {
  const updates = inventory?.updates ?? null;
  const checked = (
    <p class="quiet">
      The package lists were refreshed <Ago at={checkedAt} now={now} />.
    </p>
  );
  if (updates === null)
    return <p>What updates there are is not known: the host's package manager was not asked yet.</p>;
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
  const security = updates.filter((update) => update.security).length;
  return (
    <>
      <p>
        {count(updates.length, 'update')}, {security === 0 ? 'none of them' : `${security} of them`} for
        security.
      </p>
      {checked}
      {install === null ? null : (
        <p>
          <a class="button" href={install}>
            Install updates
          </a>
        </p>
      )}
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Package</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Kind</th>
              <th scope="col">Origin</th>
            </tr>
          </thead>
          <tbody>
            {updates
              .toSorted(byWeight)
              .slice(0, MAX_ROWS)
              .map((update) => (
                <tr key={update.name}>
                  <td class="mono">{update.name}</td>
                  <td class="mono">{update.from ?? 'new'}</td>
                  <td class="mono">{update.to}</td>
                  <td>
                    {update.security ? (
                      <Status tone="bad">security</Status>
                    ) : (
                      <Status tone="off">ordinary</Status>
                    )}{' '}
                    {update.held ? <span class="tag">held</span> : null}
                  </td>
                  <td class="text">{update.origin ?? ''}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      <More total={updates.length} />
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
          ? 'The containers are not known: the account may not ask the container engine. Let it use sudo, or put it into the group of the engine.'
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
      <More total={containers.length} />
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
  const running = containers.filter((each) => each.running).length;
  const path = containers[0]?.path ?? null;
  return (
    <>
      <h2>{project === null ? 'Outside of stacks' : project}</h2>
      <p class="quiet">
        {running} of {count(containers.length, 'container')} running
        {project === null || path === null ? '' : ', in '}
        {project === null || path === null ? null : <code>{path}</code>}
      </p>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Container</th>
              <th scope="col">Service</th>
              <th scope="col">Image</th>
              <th scope="col">State</th>
              <th scope="col">Image is</th>
            </tr>
          </thead>
          <tbody>
            {containers.map((container) => (
              <tr key={container.name}>
                <td class="mono">{container.name}</td>
                <td>{container.service ?? ''}</td>
                <td class="mono text">{container.image}</td>
                <td>
                  <Status tone={container.running ? 'good' : 'off'}>{container.status}</Status>
                </td>
                <td>
                  {container.update === null ? (
                    <span class="quiet">not checked</span>
                  ) : container.update ? (
                    <Status tone="care">outdated</Status>
                  ) : (
                    <Status tone="good">current</Status>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const More = ({ total }: { readonly total: number }) =>
  total > MAX_ROWS ? <p class="quiet">and {total - MAX_ROWS} more</p> : null;
