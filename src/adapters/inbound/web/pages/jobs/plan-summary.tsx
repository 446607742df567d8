import { TRANSFER_PLAN } from '../../../../../application/backups/planned-transfer.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isContainerChange } from '../../../../../domain/compose/container-change.ts';
import { isPackageChange, type PackageChange } from '../../../../../domain/fleet/package-change.ts';
import { bringsKernel, restartsOf } from '../../../../../domain/fleet/upgrade-effects.ts';
import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { size } from '../../components/size.ts';
import { Status, type Tone } from '../../components/status.tsx';

export type Chip = readonly [tone: Tone, words: string];

/** The size and the risk of a plan at a glance. */
export const PlanSummary = ({ result }: { readonly result: JobResult | null }) => (
  <PlanChips chips={result === null ? [] : chipsOf([result])} />
);

export const PlanChips = ({ chips }: { readonly chips: readonly Chip[] }) =>
  chips.length === 0 ? null : (
    <p class="row">
      {chips.map(([tone, words]) => (
        <Status key={words} tone={tone} plain={tone === 'off'}>
          {words}
        </Status>
      ))}
    </p>
  );

const changesOf = ({ changes }: JobResult): readonly unknown[] => (Array.isArray(changes) ? changes : []);

/** Whether it is the plan of a server that stays as it is. */
export const isUnchanged = ({ changes }: JobResult): boolean =>
  Array.isArray(changes) && changes.length === 0;

/** Of one plan, or the sum of those of several servers. The most important one first. */
export function chipsOf(plans: readonly JobResult[]): readonly Chip[] {
  const changes = plans.flatMap(changesOf);
  if (changes.length === 0) {
    return plans.some(isUnchanged)
      ? [['good', 'nothing to do']]
      : removals(plans.flatMap(({ sources }) => (Array.isArray(sources) ? sources : [])));
  }
  if (changes.every(isPackageChange)) {
    const security = changes.filter((change) => change.security).length;
    const removed = changes.filter(({ kind }) => kind === 'remove').length;
    const lower = changes.filter(({ kind }) => kind === 'downgrade').length;
    return [
      lower > 0
        ? ['care', `${lower} downgraded`]
        : security > 0
          ? ['care', `${security} security`]
          : ['off', 'no security updates'],
      ['off', count(changes.length, 'package')],
      removed > 0 ? ['bad', `${removed} removed`] : ['good', '0 removed'],
      ...effects(plans.map((plan) => changesOf(plan).filter(isPackageChange))),
    ];
  }
  if (changes.every(isContainerChange)) {
    const removed = changes.filter(({ kind }) => kind === 'remove').length;
    const saved = changes.filter(({ kind }) => kind === 'save').length;
    return [
      ['care', count(changes.length - saved, 'container change')],
      ...(saved > 0 ? [['good', 'data saved first'] as const] : []),
      removed > 0 ? ['bad', `${removed} removed`] : ['good', '0 removed'],
    ];
  }
  if (changes.every(TRANSFER_PLAN.isChange)) {
    const bytes = changes.reduce((sum, each) => sum + each.transfer_bytes, 0);
    return [
      ['off', count(changes.length, 'source')],
      ['off', `${size(bytes)} to transfer`],
    ];
  }
  return [['off', count(changes.length, 'change')]];
}

/** Of more, only the number is shown. */
const MAX_NAMED = 2;

/** What upgrades restart, and the servers that need a reboot after them. */
function effects(upgrades: readonly (readonly PackageChange[])[]): readonly Chip[] {
  const restarts = upgrades.flatMap(restartsOf);
  const reboots = upgrades.filter(bringsKernel).length;
  const isOne = upgrades.length === 1;
  return [
    ...(restarts.length === 0
      ? []
      : [
          [
            'care',
            isOne && restarts.length <= MAX_NAMED
              ? // The service is not the first word, which a pill capitalises.
                `restarts ${restarts.join(' and ')}`
              : count(restarts.length, 'service restart'),
          ] as const,
        ]),
    reboots === 0
      ? ['off', 'no reboot']
      : ['care', isOne ? 'new kernel: needs a reboot' : `${count(reboots, 'reboot')} needed`],
  ];
}

/** Of a retention job. */
function removals(sources: readonly Readonly<Record<string, unknown>>[]): readonly Chip[] {
  if (sources.length === 0) return [];
  const sum = (name: string): number => sources.reduce((total, each) => total + (Number(each[name]) || 0), 0);
  const removed = sum('removed_count');
  return [
    removed > 0 ? ['bad', `${count(removed, 'snapshot')} removed`] : ['good', '0 removed'],
    ['off', `${sum('kept_count')} kept`],
  ];
}
