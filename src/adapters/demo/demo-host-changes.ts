import { HOUR, type Instant } from '../../domain/base/instant.ts';
import type { HostDifference } from '../../domain/fleet/host-state.ts';
import { Chance } from './chance.ts';

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
