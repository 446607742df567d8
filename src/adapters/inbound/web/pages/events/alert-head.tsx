import { URGENT_NEEDS } from '../../../../../application/fleet/get-overview.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { FleetNeeds } from '../../../../../domain/fleet/server-list.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { needWords } from '../fleet/attention-groups.tsx';
import { ALERTS_PATH, POLICY_PATH } from './alerts-paths.ts';

/** The tabs. Muted alerts are in none of the others. */
export const TABS = {
  '': { label: 'Open', states: ['open'], muted: false },
  acknowledged: { label: 'Acknowledged', states: ['acknowledged'], muted: false },
  muted: { label: 'Muted', states: ['open', 'acknowledged'], muted: true },
  resolved: { label: 'Resolved', states: ['resolved'] },
} as const;
export type Tab = keyof typeof TABS;

/** Such as `19 open alerts, 10 critical`. */
export const OpenWords = ({ open, critical }: { readonly open: number; readonly critical: number }) => (
  <>
    {count(open, 'open alert')}, {critical} critical
    <span class="desk">
      . A problem opens an alert after the delay of its rule; the alert closes when its cause is gone.
    </span>
  </>
);

/** To what decides which alerts there are, and where they are sent. */
export const AlertSettings = ({ actor }: { readonly actor: Actor }) => (
  <>
    <a class="button quiet" href={POLICY_PATH}>
      <Icon name="sliders-horizontal" />
      Rules and mutes
    </a>
    {actor.role === 'administrator' ? (
      <a class="button quiet" href={ALERTS_PATH}>
        <Icon name="send" />
        Channels
      </a>
    ) : null}
  </>
);

const HELP: Readonly<Record<Tab, string>> = {
  '': 'Drover watches backups, updates, disks, services and jobs, and opens an alert for each problem.',
  acknowledged: 'An acknowledged alert sends no more reminders, and closes when its cause is gone.',
  muted: 'A muted alert sends nothing until its mute ends.',
  resolved: 'Alerts are here once their cause is gone.',
};

/** In place of an empty tab. */
export const NoAlerts = ({ tab, needs }: { readonly tab: Tab; readonly needs: FleetNeeds | null }) => (
  <Empty icon={tab === '' ? 'circle-check' : 'bell'} title={`No ${TABS[tab].label.toLowerCase()} alerts`}>
    {HELP[tab]}
    {needs === null ? null : <Needs fleet={needs} />}
  </Empty>
);

/** What needs attention although no alert is open. */
function Needs({ fleet: { needs } }: { readonly fleet: FleetNeeds }) {
  const found = URGENT_NEEDS.filter((need) => needs[need] > 0);
  if (found.length === 0) return null;
  return (
    <>
      {' '}
      Without an alert: {found.map((need) => needWords(need, needs[need])).join(', ')}.{' '}
      <a href="/">Overview</a>
    </>
  );
}
