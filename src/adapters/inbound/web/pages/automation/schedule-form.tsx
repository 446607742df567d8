import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Field, type FormState } from '../../components/form.tsx';
import { JobFields } from '../jobs/job-fields.tsx';
import { BoundsFields } from './bounds-fields.tsx';
import { CronFields } from './cron-fields.tsx';
import { SelectorFields } from './selector-fields.tsx';

interface ScheduleFormProps {
  readonly state: FormState;
  readonly type: JobType;
  readonly schedule: Schedule | null;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
}

export function ScheduleForm({ state, type, schedule, fresh }: ScheduleFormProps) {
  const path = schedule === null ? '/schedules/new' : `/schedules/${schedule.id}/edit`;
  return (
    <form method="post" action={path} class="column">
      <input type="hidden" name="type" value={type} />
      <Field
        state={state}
        name="name"
        label="Name"
        help="Letters, digits and . _ -, such as nightly-backup."
        focus={schedule === null}
      />
      <CronFields state={state} label="When" />
      <SelectorFields state={state} />
      <JobFields {...{ type, state, fresh }} startable={null} />
      <details open={!fresh}>
        <summary>Several servers: how many at once, and when to stop</summary>
        <BoundsFields state={state} />
        <Field
          state={state}
          name="jitter"
          label="Spread over minutes"
          help="Each server starts up to so many minutes later, always by the same time. At most 60."
          value="0"
          inputmode="numeric"
          required={false}
        />
      </details>
      <p class="actions">
        <button type="submit">{schedule === null ? 'Make the schedule' : 'Change it'}</button>
        <a href={schedule === null ? '/schedules' : `/schedules/${schedule.id}`}>Cancel</a>
      </p>
    </form>
  );
}
