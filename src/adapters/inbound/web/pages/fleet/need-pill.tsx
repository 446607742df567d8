import type { UrgentNeed } from '../../../../../application/fleet/get-overview.ts';
import { isDiskNearlyFull } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Status, type Tone } from '../../components/status.tsx';

const NEEDS: Readonly<Record<UrgentNeed, readonly [Tone, string]>> = {
  unreachable: ['bad', 'Unreachable'],
  stale_backup: ['bad', 'Backup overdue'],
  security_updates: ['care', 'Security updates'],
  reboot: ['care', 'Reboot needed'],
  updates_unknown: ['off', 'Updates unknown'],
  unchecked: ['off', 'Setup not finished'],
};

/** How full the root file system is, such as `94 %`; null if unknown. */
export function diskPart({ facts: { diskUsedBytes: used, diskTotalBytes: total } }: Server): string | null {
  return used === null || total === null || total === 0 ? null : `${Math.floor((100 * used) / total)} %`;
}

/** The worst need of a server, or that it has none. A nearly full disk is one, too. */
export function NeedPill({
  need,
  server,
}: {
  readonly need: UrgentNeed | undefined;
  readonly server: Server;
}) {
  const [tone, word] = need === undefined ? withoutNeed(server) : NEEDS[need];
  return <Status tone={tone}>{word}</Status>;
}

const withoutNeed = (server: Server): readonly [Tone, string] =>
  isDiskNearlyFull(server) ? ['bad', `Disk ${diskPart(server)}`] : ['good', 'Healthy'];
