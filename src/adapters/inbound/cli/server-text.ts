import { formatBytes } from '../../../domain/base/format-bytes.ts';
import { type Instant, toIso } from '../../../domain/base/instant.ts';
import { ago, count, duration } from '../../../domain/base/spans.ts';
import type { Inventory } from '../../../domain/fleet/inventory.ts';
import { isRolling } from '../../../domain/fleet/os-support.ts';
import { FEATURE_FLAGS, type FeatureFlags, type Server } from '../../../domain/fleet/server.ts';
import { serverView } from '../api/views/server-view.ts';
import { localTime } from './local-time.ts';
import { type Cell, properties } from './table.ts';

/** A server in the REST shape, with additions for operators. */
export const operatorView = (server: Server) => ({
  ...serverView(server),
  jail: server.jail,
  jail_deny: [...server.jailDeny],
  compose_dirs: [...server.composeDirs],
  update_checks: [...server.updateChecks],
  ssh_key_id: server.address.sshKeyId,
  jump_server_id: server.address.jumpServerId,
  become: server.address.become,
  host_key_fingerprint: server.address.hostKey?.fingerprint ?? null,
});

export const SERVER_HEADING = ['ID', 'NAME', 'HOST', 'SYSTEM', 'FEATURES', 'SEEN', 'BACKUP', 'UPDATES'];

export const serverRow = (server: Server, now: Instant): readonly Cell[] => [
  server.id,
  server.name,
  placeOf(server),
  server.facts.osPretty,
  featuresOf(server.features),
  ago(server.facts.lastSeenAt, now),
  ago(server.facts.lastBackupAt, now),
  updatesOf(server),
];

/** Names that a server has only as ids; `null`: none. */
export interface ServerNames {
  readonly key: string | null;
  readonly jump: string | null;
}

export function serverText(server: Server, now: Instant, names: ServerNames): string {
  const { address, facts } = server;
  return properties([
    ['ID', server.id],
    ['Name', server.name],
    ['Address', placeOf(server)],
    ['Host key', address.connection === 'ssh' ? (address.hostKey?.fingerprint ?? 'not confirmed yet') : null],
    ['SSH key', address.connection === 'local' ? null : (names.key ?? 'from the SSH agent')],
    ['Jump server', names.jump],
    ['Root access', rootText(server)],
    ['Tags', server.tags.join(', ')],
    ['Features', featuresOf(server.features)],
    ['File root', server.jail],
    ['Denied files', server.jailDeny.join(', ')],
    ['Compose directories', server.composeDirs.join(', ')],
    ['Update checks', server.updateChecks.join('; ')],
    ['System', facts.osPretty],
    ['Security updates until', supportText(facts)],
    ['Hardware', [facts.hardware, facts.arch].filter(Boolean).join(', ')],
    ['Processors', facts.cpuCores === null ? null : `${facts.cpuCores}, load ${facts.cpuLoad ?? '-'}`],
    ['Memory', usage(facts.memoryUsedBytes, facts.memoryTotalBytes)],
    ['Disk', usage(facts.diskUsedBytes, facts.diskTotalBytes)],
    ['Containers', facts.containerCount],
    ['Updates', updatesOf(server)],
    ['Reboot pending', facts.rebootPending === null ? null : facts.rebootPending ? 'yes' : 'no'],
    ['Last seen', since(facts.lastSeenAt, now)],
    ['Last backup', since(facts.lastBackupAt, now)],
    ['Last verified', since(facts.lastVerifiedAt, now)],
    ['Last update check', since(facts.lastOsCheckAt, now)],
  ]);
}

/** A check's findings, in a few lines. */
export function inventoryText(server: Server, inventory: Inventory): string {
  const failed = inventory.failedUnits ?? [];
  return properties([
    ['System', [inventory.osPretty, inventory.kernel, inventory.arch].filter(Boolean).join(', ')],
    ['Hardware', inventory.hardware],
    ['Processors', `${inventory.cpuCores}, load ${inventory.cpuLoad}`],
    ['Memory', usage(inventory.memoryUsedBytes, inventory.memoryTotalBytes)],
    ['Disk', usage(inventory.diskUsedBytes, inventory.diskTotalBytes)],
    ['Uptime', duration(inventory.uptimeSeconds * 1000)],
    ['Packages', inventory.packagesCount],
    ['Updates', inventory.updates === null ? null : updatesOf(server)],
    ['Reboot pending', inventory.rebootPending ? 'yes' : 'no'],
    [
      'Containers',
      inventory.containers === null ? null : `${inventory.containers.length} (${inventory.containerEngine})`,
    ],
    ['Failed units', failed.length === 0 ? null : failed.map(({ name }) => name).join(', ')],
  ]);
}

export function featuresOf(features: FeatureFlags): string {
  return FEATURE_FLAGS.filter((flag) => features[flag]).join(',') || 'none';
}

function rootText({ address }: Server): string {
  if (address.become === 'sudo') return 'with sudo';
  return address.connection === 'ssh' && address.sshUsername === 'root' ? 'logs in as root' : 'no';
}

function placeOf({ address }: Server): string {
  if (address.connection === 'local') return 'this machine';
  const port = address.sshPort === 22 ? '' : `:${address.sshPort}`;
  return `${address.sshUsername}@${address.hostname}${port}`;
}

const supportText = ({ osId, supportEndsAt }: Server['facts']): string | null =>
  supportEndsAt === null ? (isRolling(osId) ? 'rolling release' : null) : toIso(supportEndsAt).slice(0, 10);

/** An unknown number is never shown as none. */
function updatesOf({ facts: { osUpdatesCount, securityUpdatesCount } }: Server): string {
  if (osUpdatesCount === null) return 'unknown';
  if (securityUpdatesCount === null) return `${osUpdatesCount} (security fixes unknown)`;
  if (securityUpdatesCount === 0) return String(osUpdatesCount);
  return `${osUpdatesCount} (${count(securityUpdatesCount, 'security fix', 'security fixes')})`;
}

const usage = (used: number | null, total: number | null): string | null =>
  used === null || total === null ? null : `${formatBytes(used)} of ${formatBytes(total)}`;

const since = (at: Instant | null, now: Instant): string =>
  at === null ? 'never' : `${localTime(at)} (${ago(at, now)})`;
