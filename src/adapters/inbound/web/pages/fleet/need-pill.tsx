import type { Instant } from '../../../../../domain/base/instant.ts';
import { percentOf } from '../../../../../domain/base/spans.ts';
import type { NotificationKind } from '../../../../../domain/events/notification.ts';
import { isOutOfDate } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { StateNeed } from '../../../../../domain/fleet/server-list.ts';
import { Status, type Tone } from '../../components/status.tsx';

const NEEDS: Readonly<Record<StateNeed, readonly [Tone, string]>> = {
  unreachable: ['bad', 'Unreachable'],
  critical_alert: ['bad', 'Critical alert'],
  stale_backup: ['bad', 'Backup overdue'],
  disk_full: ['care', 'Disk nearly full'],
  security_updates: ['care', 'Security updates'],
  alert: ['care', 'Open alert'],
  reboot: ['care', 'Reboot needed'],
  updates_unknown: ['off', 'Updates unknown'],
  unchecked: ['off', 'Setup not finished'],
  no_backup: ['off', 'Not backed up yet'],
};

/** How full the root file system is, such as `94 %`; null if unknown. */
export function diskPart({ facts: { diskUsedBytes: used, diskTotalBytes: total } }: Server): string | null {
  return used === null || total === null || total === 0 ? null : `${percentOf(used, total)} %`;
}

interface NeedProps {
  /** The worst of a server. */
  readonly need: StateNeed | undefined;
  readonly server: Server;
  readonly staleBefore: Instant;
}

/** Critical alerts by name; others are only critical. */
const ALERTS: Readonly<Partial<Record<NotificationKind, string>>> = {
  'job.failed': 'Job failed',
  'service.unhealthy': 'Service unhealthy',
  'os.end_of_life': 'System out of support',
};

/** The worst need of a server, or that it has none: as far as is known, and not from before `staleBefore`. */
export function needState({ need, server, staleBefore }: NeedProps): readonly [Tone, string] {
  if (need === undefined) return isOutOfDate(server, staleBefore) ? UNCERTAIN : HEALTHY;
  const [tone, word] = NEEDS[need];
  const kind = need === 'critical_alert' ? server.criticalKind : null;
  return [tone, (kind && ALERTS[kind]) ?? word];
}

export function NeedPill(of: NeedProps) {
  const [tone, word] = pillOf(of);
  return <Status tone={tone}>{word}</Status>;
}

/** With how full a nearly full disk is. */
function pillOf(of: NeedProps): readonly [Tone, string] {
  const [tone, word] = needState(of);
  return [tone, of.need === 'disk_full' ? `Disk ${diskPart(of.server)}` : word];
}

const HEALTHY = ['good', 'Healthy'] as const;
const UNCERTAIN = ['off', 'Not checked lately'] as const;

const isProblem = (need: StateNeed): boolean => NEEDS[need][0] !== 'off';

interface StateProps {
  /** The worst first. */
  readonly needs: readonly StateNeed[];
  readonly server: Server;
}

/** The state of a server as one pill: its worst problem, and how many more it has. */
export function StatePill({ needs, server, staleBefore }: StateProps & { readonly staleBefore: Instant }) {
  const [tone, word] = pillOf({ need: needs[0], server, staleBefore });
  const more = needs.filter(isProblem).length - 1;
  return <Status tone={tone}>{more > 0 ? `${word} +${more}` : word}</Status>;
}
