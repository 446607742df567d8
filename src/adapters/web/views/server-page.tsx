import type { ComponentChildren } from 'preact';
import type { Inventory } from '../../../domain/inventory.ts';
import type { Job } from '../../../domain/job.ts';
import type { Page } from '../../../domain/page.ts';
import { FEATURE_FLAGS, type Server } from '../../../domain/server.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import { JobRows } from './job-rows.tsx';
import { size } from './size.ts';
import { Status } from './status.tsx';
import { Ago } from './time.tsx';

interface ServerPageProps {
  readonly server: Server;
  readonly inventory: Inventory | null;
  readonly jobs: Page<Job>;
  readonly snapshots: Page<Snapshot>;
  readonly now: number;
}

/** Rows of a long list that are shown; the rest is told as a number. */
const MOST_ROWS = 50;

/** What is known of one server. */
export function ServerPage({ server, inventory, jobs, snapshots, now }: ServerPageProps) {
  const { facts, address } = server;
  return (
    <>
      <p class="quiet">
        {address.connection === 'local'
          ? 'this machine'
          : `${address.sshUsername}@${address.hostname}:${address.sshPort}`}{' '}
        {server.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </p>
      <dl class="tiles">
        <Fact name="System">{facts.osPretty ?? 'not read yet'}</Fact>
        <Fact name="Processor">
          {facts.cpuCores === null
            ? '–'
            : `${facts.cpuCores} × ${facts.arch ?? ''}, load ${facts.cpuLoad ?? '–'}`}
        </Fact>
        <Fact name="Memory">{`${size(facts.memoryUsedBytes)} of ${size(facts.memoryTotalBytes)}`}</Fact>
        <Fact name="Disk">{`${size(facts.diskUsedBytes)} of ${size(facts.diskTotalBytes)}`}</Fact>
        <Fact name="Last seen">
          <Ago at={facts.lastSeenAt} now={now} />
        </Fact>
        <Fact name="Last backup">
          <Ago at={facts.lastBackupAt} now={now} />
        </Fact>
        <Fact name="Features">
          {FEATURE_FLAGS.filter((flag) => server.features[flag]).join(', ') || 'none on'}
        </Fact>
        <Fact name="Reboot">
          {facts.rebootPending === null ? (
            'not known'
          ) : facts.rebootPending ? (
            <Status tone="care">pending</Status>
          ) : (
            <Status tone="good">not needed</Status>
          )}
        </Fact>
      </dl>
      <Updates inventory={inventory} />
      <Containers inventory={inventory} />
      <h2>Snapshots</h2>
      <Snapshots snapshots={snapshots} now={now} />
      <h2>Jobs</h2>
      <JobRows jobs={jobs.items} now={now} />
      {jobs.total > jobs.items.length ? (
        <p>
          <a href={`/jobs?server=${server.id}`}>All {jobs.total} jobs of this server</a>
        </p>
      ) : null}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Updates({ inventory }: { readonly inventory: Inventory | null }) {
  const updates = inventory?.updates ?? [];
  if (updates.length === 0) return null;
  return (
    <>
      <h2>Updates</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Package</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Kind</th>
            </tr>
          </thead>
          <tbody>
            {updates.slice(0, MOST_ROWS).map((update) => (
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
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {updates.length > MOST_ROWS ? <p class="quiet">and {updates.length - MOST_ROWS} more</p> : null}
    </>
  );
}

function Containers({ inventory }: { readonly inventory: Inventory | null }) {
  const containers = inventory?.containers ?? [];
  if (containers.length === 0) return null;
  return (
    <>
      <h2>Containers</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Image</th>
              <th scope="col">State</th>
              <th scope="col">Project</th>
            </tr>
          </thead>
          <tbody>
            {containers.slice(0, MOST_ROWS).map((container) => (
              <tr key={container.name}>
                <td class="mono">{container.name}</td>
                <td class="mono text">{container.image}</td>
                <td>
                  <Status tone={container.running ? 'good' : 'off'}>{container.status}</Status>{' '}
                  {container.update ? <span class="tag">newer image</span> : null}
                </td>
                <td>{container.project ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {containers.length > MOST_ROWS ? <p class="quiet">and {containers.length - MOST_ROWS} more</p> : null}
    </>
  );
}

function Snapshots({ snapshots, now }: { readonly snapshots: Page<Snapshot>; readonly now: number }) {
  if (snapshots.items.length === 0) return <p class="quiet">There are no snapshots yet.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Snapshot</th>
            <th scope="col">Source</th>
            <th scope="col">Taken</th>
            <th scope="col">Files</th>
            <th scope="col">Size</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {snapshots.items.map((snapshot) => (
            <tr key={snapshot.id}>
              <td>{snapshot.id}</td>
              <td>{snapshot.sourceName}</td>
              <td>
                <Ago at={snapshot.finishedAt} now={now} />
              </td>
              <td class="number">{snapshot.fileCount}</td>
              <td class="number">{size(snapshot.totalBytes)}</td>
              <td class="number">{size(snapshot.transferredBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {snapshots.total > snapshots.items.length ? (
        <p class="quiet">and {snapshots.total - snapshots.items.length} earlier ones</p>
      ) : null}
    </div>
  );
}
