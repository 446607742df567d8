import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, percentOf } from '../../../../../domain/base/spans.ts';
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

/** The worst need of a server, or that it has none: as far as is known, and not from before `staleBefore`. */
export const needState = ({ need, server, staleBefore }: NeedProps): readonly [Tone, string] =>
  need !== undefined ? NEEDS[need] : isOutOfDate(server, staleBefore) ? UNCERTAIN : HEALTHY;

export function NeedPill(of: NeedProps) {
  const [tone, word] = needState(of);
  return <Status tone={tone}>{of.need === 'disk_full' ? `Disk ${diskPart(of.server)}` : word}</Status>;
}

const HEALTHY = ['good', 'Healthy'] as const;
const UNCERTAIN = ['off', 'Not checked lately'] as const;

const isProblem = (need: StateNeed): boolean => NEEDS[need][0] !== 'off';

interface StateProps {
  /** The worst first. */
  readonly needs: readonly StateNeed[];
  readonly server: Server;
}

/** The state of a server as one pill: its one problem, or how many it has. */
export function StatePill({ needs, server, staleBefore }: StateProps & { readonly staleBefore: Instant }) {
  const problems = needs.filter(isProblem);
  const [worst] = problems;
  if (worst === undefined || problems.length === 1)
    return <NeedPill need={needs[0]} {...{ server, staleBefore }} />;
  return <Status tone={NEEDS[worst][0]}>{count(problems.length, 'problem')}</Status>;
}
