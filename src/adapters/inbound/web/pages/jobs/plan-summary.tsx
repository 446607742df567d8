import { TRANSFER_PLAN } from '../../../../../application/backups/planned-transfer.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isContainerChange } from '../../../../../domain/compose/container-change.ts';
import { isPackageChange } from '../../../../../domain/fleet/package-change.ts';
import { bringsKernel, restartsOf } from '../../../../../domain/fleet/upgrade-effects.ts';
import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { size } from '../../components/size.ts';
import { Status, type Tone } from '../../components/status.tsx';

export type Chip = readonly [tone: Tone, words: string];

/** The size and the risk of a plan at a glance. */
export function PlanSummary({ result }: { readonly result: JobResult | null }) {
  const chips = result === null ? [] : chipsOf(result);
  if (chips.length === 0) return null;
  return (
    <p class="row">
      {chips.map(([tone, words]) => (
        <Status key={words} tone={tone}>
          {words}
        </Status>
      ))}
    </p>
  );
}

/** The most important one first. */
export function chipsOf(result: JobResult): readonly Chip[] {
  const { changes, sources } = result;
  if (!Array.isArray(changes)) return removals(sources);
  if (changes.length === 0) return [['good', 'nothing to do']];
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
      removed > 0 ? ['bad', `${removed} removed`] : ['off', '0 removed'],
      ...restarts(restartsOf(changes)),
      bringsKernel(changes) ? ['care', 'new kernel: needs a reboot'] : ['off', 'no reboot'],
    ];
  }
  if (changes.every(isContainerChange)) {
    const removed = changes.filter(({ kind }) => kind === 'remove').length;
    const saved = changes.filter(({ kind }) => kind === 'save').length;
    return [
      ['care', count(changes.length - saved, 'container change')],
      ...(saved > 0 ? [['good', 'data saved first'] as const] : []),
      removed > 0 ? ['bad', `${removed} removed`] : ['off', '0 removed'],
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

function restarts(services: readonly string[]): readonly Chip[] {
  if (services.length === 0) return [];
  if (services.length > MAX_NAMED) return [['care', `restarts ${services.length} services`]];
  // The service is not the first word, which a pill capitalises.
  return [['care', `restarts ${services.join(' and ')}`]];
}

/** Of a retention job. */
function removals(sources: unknown): readonly Chip[] {
  if (!Array.isArray(sources)) return [];
  const sum = (name: string): number =>
    sources.reduce(
      (total: number, each: Readonly<Record<string, unknown>>) => total + (Number(each[name]) || 0),
      0,
    );
  const removed = sum('removed_count');
  return [
    removed > 0 ? ['bad', `${count(removed, 'snapshot')} removed`] : ['off', '0 removed'],
    ['off', `${sum('kept_count')} kept`],
  ];
}
