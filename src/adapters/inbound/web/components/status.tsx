import type { JobStatus } from '../../../../domain/jobs/job.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

/** `wait`: it is a user's turn, and nothing is wrong. `edit`: it has changed. */
export type Tone = 'good' | 'bad' | 'care' | 'busy' | 'wait' | 'edit' | 'off';

const SIGN: Readonly<Record<Exclude<Tone, 'busy'>, IconName>> = {
  good: 'check',
  bad: 'x',
  care: 'triangle-alert',
  wait: 'clock',
  edit: 'pencil',
  off: 'minus',
};

interface StatusProps {
  readonly tone: Tone;
  /** Without a sign: before a number, a dash is a minus. */
  readonly plain?: boolean;
  readonly children: string;
}

/** A state as a pill, by sign, word and colour: never by colour alone. */
export function Status({ tone, plain = false, children }: StatusProps) {
  return (
    <span class={`status ${tone}`}>
      {plain ? null : tone === 'busy' ? <span class="dot busy" /> : <Icon name={SIGN[tone]} />}
      <span>{children}</span>
    </span>
  );
}

/** Of many of which some failed: red only if all did. */
export const toneOfMany = (failed: number, total: number): 'good' | 'care' | 'bad' =>
  failed === 0 ? 'good' : failed < total ? 'care' : 'bad';

const OF_JOB: Readonly<Record<JobStatus, readonly [Tone, string]>> = {
  awaiting_approval: ['care', 'waiting'],
  pending: ['busy', 'pending'],
  running: ['busy', 'running'],
  success: ['good', 'succeeded'],
  failed: ['bad', 'failed'],
  cancelled: ['off', 'cancelled'],
};

export const stateWord = (status: JobStatus): string => OF_JOB[status][1];

export const toneOf = (status: JobStatus): Tone => OF_JOB[status][0];

export function JobState({ status }: { readonly status: JobStatus }) {
  const [tone, word] = OF_JOB[status];
  return <Status tone={tone}>{word}</Status>;
}
