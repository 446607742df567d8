import type { UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Status, type Tone } from '../../components/status.tsx';

const NEEDS: Readonly<Record<UrgentNeed, readonly [Tone, string]>> = {
  unreachable: ['bad', 'Unreachable'],
  stale_backup: ['bad', 'Backup overdue'],
  disk_full: ['care', 'Disk nearly full'],
  security_updates: ['care', 'Security updates'],
  reboot: ['care', 'Reboot needed'],
  updates_unknown: ['off', 'Updates unknown'],
  unchecked: ['off', 'Setup not finished'],
};

/** How full the root file system is, such as `94 %`; null if unknown. */
export function diskPart({ facts: { diskUsedBytes: used, diskTotalBytes: total } }: Server): string | null {
  return used === null || total === null || total === 0 ? null : `${Math.floor((100 * used) / total)} %`;
}

/** The worst need of a server, or that it has none. */
export function NeedPill({
  need,
  server,
}: {
  readonly need: UrgentNeed | undefined;
  readonly server: Server;
}) {
  const [tone, word] = need === undefined ? HEALTHY : NEEDS[need];
  return <Status tone={tone}>{need === 'disk_full' ? `Disk ${diskPart(server)}` : word}</Status>;
}

const HEALTHY = ['good', 'Healthy'] as const;
