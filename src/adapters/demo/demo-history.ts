import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import { FORECAST_FROM_MS, fillingDisk } from '../../domain/fleet/disk-forecast.ts';
import type { HostDifference } from '../../domain/fleet/host-state.ts';
import { type Sample, sampleOf } from '../../domain/fleet/sample.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { Chance } from './chance.ts';
import type { FoundServer } from './demo-servers.ts';

const DAYS = 30;
const HOURS = DAYS * 24;

/** What a server was like before, up to how it was found; the oldest first. */
export function samplesBefore(
  { facts, inventory }: FoundServer,
  { id, now }: { readonly id: number; readonly now: Instant },
): readonly Sample[] {
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(id * 7_919);
  const latest = sampleOf(inventory, facts);
  const until = facts.contactFailedSince ?? inventory.at;
  const growth = chance.happens(0.4) ? chance.between(6, 22) / 100 : chance.between(-2, 3) / 100;
  return Array.from({ length: HOURS }, (_, index) => inventory.at - (HOURS - index) * HOUR)
    .filter((at) => at < until && !chance.happens(0.004))
    .map((at) => {
      const age = (now - at) / (DAYS * DAY);
      const busy = 0.6 + 0.4 * Math.sin((at / DAY) * 2 * Math.PI);
      const updates = weekly(latest.updates, at);
      return {
        ...latest,
        at,
        load: Math.round(latest.load * busy * chance.between(60, 130)) / 100,
        memoryUsedBytes: Math.round((latest.memoryUsedBytes * chance.between(88, 106)) / 100),
        disks: latest.disks.map((disk) => ({
          ...disk,
          usedBytes: Math.round(disk.usedBytes * (1 - growth * age) * (1 + chance.between(-3, 3) / 2_000)),
        })),
        updates,
        securityUpdates: updates === null ? null : Math.min(updates, latest.securityUpdates ?? 0),
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

/** Updates pile up over a week, until Sunday night. */
const weekly = (count: number | null, at: Instant): number | null =>
  count === null ? null : Math.round((count * ((Math.floor(at / DAY) + 4) % 7)) / 6);

const upgraded = (name: string, before: string, after: string): HostDifference => ({
  kind: 'package',
  name: `${name}:amd64`,
  before,
  after,
});

/** What patches of the last nights changed. */
const UPGRADES: readonly HostDifference[] = [
  upgraded('openssl', '3.0.17-1~deb12u2', '3.0.18-1~deb12u1'),
  upgraded('libssl3', '3.0.17-1~deb12u2', '3.0.18-1~deb12u1'),
  upgraded('openssh-server', '1:9.2p1-2+deb12u6', '1:9.2p1-2+deb12u7'),
  upgraded('curl', '7.88.1-10+deb12u12', '7.88.1-10+deb12u14'),
  upgraded('nginx', '1.22.1-9+deb12u2', '1.22.1-9+deb12u3'),
  upgraded('tzdata', '2026a-0+deb12u1', '2026b-0+deb12u1'),
];

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
export function hostChangeRows(serverId: number, nights: readonly Instant[]): readonly object[] {
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
  const first = chance.between(0, UPGRADES.length - 2);
  const upgrades = UPGRADES.slice(first, first + 2).map((each) => row(each, night));
  const extra = BY_HAND[chance.between(0, BY_HAND.length - 1)];
  return extra !== undefined && chance.happens(0.6) ? [...upgrades, row(extra, night + 9 * HOUR)] : upgrades;
}
