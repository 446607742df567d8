import type { ComponentChildren } from 'preact';
import { duration } from '../../../../../domain/base/spans.ts';
import { isUnreachable } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import { FEATURE_FLAGS, type FeatureFlag, type Server } from '../../../../../domain/fleet/server.ts';
import { Meter } from '../../components/meter.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Support } from './support-pill.tsx';

/** Last known facts of a server. */
export function ServerFacts({
  server,
  inventory,
  now,
}: {
  readonly server: Server;
  readonly inventory: Inventory | null;
  readonly now: number;
}) {
  const { address, facts } = server;
  return (
    <>
      <dl class="facts">
        <Fact name="System" desk>
          {facts.osPretty ?? 'not known yet'}
        </Fact>
        {facts.osId === null ? null : (
          <Fact name="Supported">
            <Support facts={facts} now={now} />
          </Fact>
        )}
        {inventory === null ? null : (
          <>
            <Fact name="Kernel">
              <span class="mono">{inventory.kernel}</span>
            </Fact>
            <Fact name="Up for">
              {duration(inventory.uptimeSeconds * 1000)}
              {isUnreachable(server) ? (
                <span class="quiet">
                  {' '}
                  as of <Ago at={inventory.at} now={now} />
                </span>
              ) : null}
            </Fact>
          </>
        )}
        <Fact name="Processor" desk>
          {facts.cpuCores === null ? '–' : `${facts.cpuCores} × ${facts.arch ?? ''}`}
        </Fact>
        {facts.hardware === null ? null : <Fact name="Hardware">{facts.hardware}</Fact>}
        <Fact name="Packages">{inventory?.packagesCount ?? '–'}</Fact>
        <Fact name="Reboot">
          {facts.rebootPending === null ? (
            'unknown'
          ) : facts.rebootPending ? (
            <Status tone="care">Needed</Status>
          ) : (
            <Status tone="good">Not needed</Status>
          )}
        </Fact>
        <Fact name="Last backup" desk>
          <Ago at={facts.lastBackupAt} now={now} />
        </Fact>
        <Fact name="Verified">
          <Ago at={facts.lastVerifiedAt} now={now} />
        </Fact>
        <Fact name="Features" desk>
          {FEATURE_FLAGS.filter((flag) => server.features[flag])
            .map((flag) => FEATURE_WORDS[flag])
            .join(', ') || 'none'}
        </Fact>
        {address.connection === 'ssh' && address.hostKey !== null ? (
          <Fact name="Host key" desk>
            <span class="mono">{address.hostKey.fingerprint}</span>
          </Fact>
        ) : null}
        {inventory === null ? null : (
          <Fact name="Inventory" desk>
            <Ago at={inventory.at} now={now} />
          </Fact>
        )}
      </dl>
      <Disks inventory={inventory} />
      <FailedUnits inventory={inventory} />
    </>
  );
}

const FEATURE_WORDS: Readonly<Record<FeatureFlag, string>> = {
  backup: 'Backups',
  os_patch: 'Updates',
  docker: 'Containers',
};

interface FactProps {
  readonly name: string;
  /** Left out on a phone, where the head, the numbers and the settings have it. */
  readonly desk?: boolean;
  readonly children: ComponentChildren;
}

const Fact = ({ name, desk = false, children }: FactProps) => (
  <>
    <dt class={desk ? 'desk' : undefined}>{name}</dt>
    <dd class={desk ? 'desk' : undefined}>{children}</dd>
  </>
);

function Disks({ inventory }: { readonly inventory: Inventory | null }) {
  if (inventory === null || inventory.disks.length < 2) return null;
  return (
    <>
      <h3>File systems</h3>
      <dl class="facts">
        {inventory.disks.map(({ mount, usedBytes, totalBytes }) => (
          <Fact key={mount} name={mount}>
            {size(usedBytes)} of {size(totalBytes)}
            <Meter
              used={usedBytes}
              total={totalBytes}
              label={`${mount}: ${size(usedBytes)} of ${size(totalBytes)}`}
            />
          </Fact>
        ))}
      </dl>
    </>
  );
}

function FailedUnits({ inventory }: { readonly inventory: Inventory | null }) {
  const units = inventory?.failedUnits ?? [];
  if (units.length === 0) return null;
  return (
    <>
      <h3>Failed units</h3>
      <ul>
        {units.map((unit) => (
          <li key={unit.name}>
            <Status tone="bad">{unit.name}</Status> <span class="quiet">{unit.description}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
