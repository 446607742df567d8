import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import { FORECAST_FROM_MS, fillingDisk } from '../../domain/fleet/disk-forecast.ts';
import type { HostDifference } from '../../domain/fleet/host-state.ts';
import type { PendingUpdate } from '../../domain/fleet/inventory.ts';
import { type Sample, sampleOf } from '../../domain/fleet/sample.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { Chance } from './chance.ts';
import { activityAt } from './demo-activity.ts';
import type { FoundServer } from './demo-servers.ts';
import { type ServerKind, type System, UPDATES } from './fleet.ts';

const DAYS = 30;
const HOURS = DAYS * 24;

/** What a server was like before, up to how it was found; the oldest first. */
export function samplesBefore(
  { facts, inventory }: FoundServer,
  { id, now, tags }: { readonly id: number; readonly now: Instant; readonly tags: readonly string[] },
): readonly Sample[] {
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(id * 7_919);
  const latest = sampleOf(inventory, facts);
  const until = facts.contactFailedSince ?? inventory.at;
  const pace = chance.between(2, 12);
  const usual = chance.happens(0.4) ? chance.between(6, 22) / 100 : chance.between(-2, 3) / 100;
  // Visitors open the first server most: its disk has a forecast.
  const growth = id === 1 ? 0.09 : usual;
  return Array.from({ length: HOURS }, (_, index) => inventory.at - (HOURS - index) * HOUR)
    .filter((at) => at < until && !chance.happens(0.004))
    .map((at) => {
      const age = (now - at) / (DAYS * DAY);
      const busy = 0.6 + 0.4 * Math.sin((at / DAY) * 2 * Math.PI);
      const updates = pendingAt(latest.updates, {
        at,
        now,
        patched: tags.includes('staging') || tags.includes('ci'),
        pace,
      });
      return {
        ...latest,
        at,
        activity: activityAt(id, inventory, at),
        load: Math.round(latest.load * busy * chance.between(60, 130)) / 100,
        memoryUsedBytes: Math.round((latest.memoryUsedBytes * chance.between(88, 106)) / 100),
        disks: latest.disks.map((disk) => ({
          ...disk,
          usedBytes: Math.round(disk.usedBytes * (1 - growth * age) * (1 + chance.between(-3, 3) / 2_000)),
        })),
        updates,
        securityUpdates:
          updates === null || latest.securityUpdates === null
            ? null
            : Math.min(updates, latest.securityUpdates),
      };
    });
}

/** When a disk is full, as inventories find it. */
export function diskFacts(
  past: readonly Sample[],
  { facts, inventory }: FoundServer,
): Pick<ServerFacts, 'diskFullAt' | 'diskFullMount'> {
  const recent = [...past, sampleOf(inventory, facts)].filter(
    ({ at }) => at >= inventory.at - FORECAST_FROM_MS,
  );
  const filling = fillingDisk(recent);
  return { diskFullAt: filling?.at ?? null, diskFullMount: filling?.mount ?? null };
}

/** Updates pile up: until Sunday night where a schedule installs them, otherwise one every few days. */
function pendingAt(
  count: number | null,
  {
    at,
    now,
    patched,
    pace,
  }: { readonly at: Instant; readonly now: Instant; readonly patched: boolean; readonly pace: number },
): number | null {
  if (count === null) return null;
  if (patched) return Math.round((count * ((Math.floor(at / DAY) + 4) % 7)) / 6);
  return Math.max(0, count - Math.floor((now - at) / (pace * DAY)));
}

/** What patches of the last nights may have changed: updates that are pending no more. */
function upgradesOf({ packages, family }: System, pending: readonly PendingUpdate[], arch: string) {
  const waiting = new Set(pending.map(({ name }) => name));
  const suffix = family === 'debian' ? `:${arch === 'aarch64' ? 'arm64' : 'amd64'}` : '';
  return UPDATES[packages]
    .filter(([name]) => !waiting.has(name))
    .map(
      ([name, before, after]): HostDifference => ({
        kind: 'package',
        name: `${name}${suffix}`,
        before,
        after,
      }),
    );
}

/** What a person did during the day. */
const BY_HAND: readonly HostDifference[] = [
  { kind: 'port', name: 'tcp 0.0.0.0:9100', before: null, after: 'open' },
  { kind: 'unit', name: 'prometheus-node-exporter.service', before: null, after: 'enabled, running' },
  { kind: 'user', name: 'ben', before: null, after: 'uid 1002, /home/ben, /bin/bash' },
  { kind: 'mount', name: '/mnt/archive', before: null, after: 'nas-01:/archive, nfs4, writable' },
  {
    kind: 'file',
    name: '/etc/nginx/nginx.conf',
    before: 'file, 1,482 bytes',
    after: 'file, 1,519 bytes, new contents',
  },
];

/** Changes of a server as rows: upgrades in one of the last nights, and on few servers one more. */
export function hostChangeRows(
  serverId: number,
  { system, arch }: Pick<ServerKind, 'system' | 'arch'>,
  pending: readonly PendingUpdate[],
  nights: readonly Instant[],
): readonly object[] {
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(serverId * 104_729);
  const night = nights.at(-1 - chance.between(0, 4));
  if (night === undefined || !chance.happens(0.4)) return [];
  const row = ({ kind, name, before, after }: HostDifference, since: Instant): object => ({
    server_id: serverId,
    kind,
    name,
    value_before: before,
    value_after: after,
    since,
    at: since + HOUR,
  });
  const possible = upgradesOf(system, pending, arch);
  const first = chance.between(0, Math.max(0, possible.length - 2));
  const upgrades = possible.slice(first, first + 2).map((each) => row(each, night));
  const extra = BY_HAND[chance.between(0, BY_HAND.length - 1)];
  return extra !== undefined && chance.happens(0.6) ? [...upgrades, row(extra, night - 15 * HOUR)] : upgrades;
}
