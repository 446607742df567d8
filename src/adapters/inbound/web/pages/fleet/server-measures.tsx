import type { ComponentChildren } from 'preact';
import type { ServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { count, percentOf } from '../../../../../domain/base/spans.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { SampledDisk } from '../../../../../domain/fleet/sample.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { Meter } from '../../components/meter.tsx';
import { size } from '../../components/size.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { Ago } from '../../components/time.tsx';

interface MeasureProps {
  readonly icon: IconName;
  readonly label: string;
  readonly href: string;
  readonly value: string;
  readonly unit: string;
  /** How much of it is used, if it has an end. */
  readonly part?: { readonly used: number; readonly total: number } | undefined;
  /** In place of that, on a line as high. */
  readonly note?: ComponentChildren;
  readonly spark: ComponentChildren;
  readonly since: ComponentChildren;
  /** The value may have changed since. */
  readonly old?: boolean;
}

/** A number, how much of the whole that is, and how it got there. */
const Measure = ({ icon, label, href, value, unit, part, note, spark, since, old = false }: MeasureProps) => (
  <a class={old ? 'card stat old' : 'card stat'} href={href}>
    <span class="label">
      <Icon name={icon} />
      {label}
    </span>
    <span class="value">
      {value} <small>{unit}</small>
    </span>
    {part ? <Meter {...part} label={`${label}: ${value} ${unit}`} /> : <small>{note ?? '\u00a0'}</small>}
    <span class="foot">
      <span>{since}</span>
      {old ? <span class="desk">{spark}</span> : spark}
    </span>
  </a>
);

/** Load, memory, the fullest file system and the size of backups, each with its last 30 days. */
export function ServerMeasures({
  id,
  inventory,
  history,
  snapshots,
  isOld,
  now,
}: {
  readonly id: number;
  readonly inventory: Inventory;
  readonly history: ServerHistory;
  /** The latest first. */
  readonly snapshots: readonly Snapshot[];
  /** As `isOutOfDate`: the values are the last known ones. */
  readonly isOld: boolean;
  readonly now: Instant;
}) {
  const { samples } = history;
  const days = `last ${count(samples.length, 'day')}`;
  const since = isOld ? (
    <>
      as of <Ago at={inventory.at} now={now} />
    </>
  ) : samples.length < 2 ? (
    'History starts today'
  ) : (
    days
  );
  const metrics = `/servers/${id}/metrics`;
  const disk = fullest(inventory.disks);
  const [latest] = snapshots;
  return (
    <div class="stats">
      <Measure
        icon="cpu"
        label="CPU load"
        href={metrics}
        value={String(inventory.cpuLoad)}
        unit={`of ${inventory.cpuCores} ${inventory.cpuCores === 1 ? 'core' : 'cores'}`}
        part={{ used: Math.min(inventory.cpuLoad, inventory.cpuCores), total: inventory.cpuCores }}
        since={since}
        old={isOld}
        spark={
          <Sparkline
            values={samples.map(({ load }) => load)}
            label={`Load, ${days}, ${isOld ? 'last' : 'now'} ${inventory.cpuLoad}`}
          />
        }
      />
      <Measure
        icon="memory-stick"
        label="Memory"
        href={metrics}
        value={size(inventory.memoryUsedBytes)}
        unit={`of ${wholeSize(inventory.memoryTotalBytes)}`}
        part={{ used: inventory.memoryUsedBytes, total: inventory.memoryTotalBytes }}
        since={since}
        old={isOld}
        spark={
          <Sparkline
            values={samples.map(({ memoryUsedBytes }) => memoryUsedBytes)}
            label={`Memory used, ${days}, ${isOld ? 'last' : 'now'} ${size(inventory.memoryUsedBytes)}`}
          />
        }
      />
      {disk ? (
        <Measure
          icon="hard-drive"
          label={`Disk ${disk.mount}`}
          href={metrics}
          value={`${percent(disk)}\u00a0%`}
          unit={`of ${wholeSize(disk.totalBytes)}`}
          part={{ used: disk.usedBytes, total: disk.totalBytes }}
          since={(isOld ? null : forecast(history.fullAt(disk.mount), now)) ?? since}
          old={isOld}
          spark={
            <Sparkline
              values={samples.map(
                ({ disks }) => disks.find(({ mount }) => mount === disk.mount)?.usedBytes ?? null,
              )}
              label={`Space used on ${disk.mount}, ${days}, ${isOld ? 'last' : 'now'} ${size(disk.usedBytes)}`}
            />
          }
        />
      ) : null}
      <Measure
        icon="database-backup"
        label="Latest backup"
        href={`/servers/${id}/backups`}
        value={latest ? size(latest.totalBytes) : 'None'}
        unit=""
        note={
          latest ? (
            <>
              {latest.sourceName}, <Ago at={latest.finishedAt} now={now} />
            </>
          ) : null
        }
        since={latest ? sizesShown(ofSource(snapshots, latest).length) : 'No snapshot yet'}
        spark={
          latest ? (
            <Sparkline
              values={ofSource(snapshots, latest)
                .map(({ totalBytes }) => totalBytes)
                .toReversed()}
              label={`Sizes of the latest snapshots of ${latest.sourceName}, last ${size(latest.totalBytes)}`}
            />
          ) : null
        }
      />
    </div>
  );
}

const ofSource = (snapshots: readonly Snapshot[], { sourceId }: Snapshot): readonly Snapshot[] =>
  snapshots.filter((each) => each.sourceId === sourceId);

/** `64 GiB`, on one line: what a host has. */
const wholeSize = (bytes: number): string => size(bytes).replace(/(?:\.0)? /, '\u00a0');

const sizesShown = (number: number): string => (number === 1 ? 'the first one' : `last ${number}`);

export const percent = ({ usedBytes, totalBytes }: SampledDisk): number => percentOf(usedBytes, totalBytes);

function fullest(disks: readonly SampledDisk[]): SampledDisk | null {
  return disks.toSorted((a, b) => percent(b) - percent(a))[0] ?? null;
}

function forecast(at: Instant | null, now: Instant): string | null {
  if (at === null) return null;
  const days = Math.round((at - now) / DAY);
  return days <= 0 ? 'full today' : `full in ~${days} d`;
}
