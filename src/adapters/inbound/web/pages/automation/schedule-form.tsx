import type { VNode } from 'preact';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Field, type FormState } from '../../components/form.tsx';
import { JobFields } from '../jobs/job-fields.tsx';
import { CronFields, livePreview } from './cron-fields.tsx';
import { JobTypeField } from './job-type-field.tsx';
import { BoundsFields, type JobChoices, SelectorFields } from './selector-fields.tsx';

interface ScheduleFormProps {
  /** As `CronFields` take it. */
  readonly zone: string | null;
  readonly state: FormState;
  readonly type: JobType;
  readonly schedule: Schedule | null;
  readonly choices: JobChoices;
  readonly preview: VNode;
  /** A name for a new one. */
  readonly name: string;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
}

/** Creates or edits a schedule, beside a preview of its next runs. */
export function ScheduleForm({
  state,
  type,
  schedule,
  choices,
  zone,
  preview,
  name,
  fresh,
}: ScheduleFormProps) {
  const path = schedule === null ? '/schedules/new' : `/schedules/${schedule.id}/edit`;
  return (
    <form method="post" action={path} class="main-and-side" {...livePreview}>
      <div class="column">
        {schedule === null ? (
          <JobTypeField type={type} label="Job type" path="/schedules/new" />
        ) : (
          <input type="hidden" name="type" value={type} />
        )}
        <Field
          state={state}
          name="name"
          label="Name"
          help="Letters, digits and . _ -, such as nightly-backup."
          value={name}
          focus={schedule === null}
        />
        <CronFields state={state} label="When" zone={zone} />
        <SelectorFields state={state} choices={choices} usual="all" />
        <JobFields {...{ type, state, fresh }} startable={null} sourceNames={choices.sourceNames} />
        <details class="more" open={!fresh}>
          <summary>Several servers: how many at a time, and when to stop</summary>
          <BoundsFields state={state} />
          <Field
            state={state}
            name="jitter"
            label="Random delay (minutes)"
            help="Each server starts up to this many minutes later, always with the same delay. At most 60."
            value="0"
            inputmode="numeric"
            required={false}
          />
        </details>
        <p class="actions">
          <button type="submit">{schedule === null ? 'Create schedule' : 'Save schedule'}</button>
          <a href={schedule === null ? '/schedules' : `/schedules/${schedule.id}`}>Cancel</a>
        </p>
      </div>
      <div class="stack">
        {preview}
        <noscript>
          <button type="submit" class="quiet" name="preview" value="yes" formnovalidate>
            Update the preview
          </button>
        </noscript>
      </div>
    </form>
  );
}
