import type { VNode } from 'preact';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import { type JobType, jobTitle, REPEATABLE_JOB_TYPES } from '../../../../../domain/jobs/job-types.ts';
import { Field, type FormState } from '../../components/form.tsx';
import { JobFields } from '../jobs/job-fields.tsx';
import { wordsOf } from '../jobs/job-words.ts';
import { CronFields, livePreview } from './cron-fields.tsx';
import { BoundsFields, type SelectorChoices, SelectorFields } from './selector-fields.tsx';

interface ScheduleFormProps {
  readonly state: FormState;
  readonly type: JobType;
  readonly schedule: Schedule | null;
  readonly choices: SelectorChoices;
  readonly preview: VNode;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
}

/** Creates or edits a schedule, beside a preview of its next runs. */
export function ScheduleForm({ state, type, schedule, choices, preview, fresh }: ScheduleFormProps) {
  const path = schedule === null ? '/schedules/new' : `/schedules/${schedule.id}/edit`;
  return (
    <form method="post" action={path} class="main-and-side" {...livePreview}>
      <div class="column">
        {schedule === null ? <TypeChoice type={type} /> : <input type="hidden" name="type" value={type} />}
        <Field
          state={state}
          name="name"
          label="Name"
          help="Letters, digits and . _ -, such as nightly-backup."
          focus={schedule === null}
        />
        <CronFields state={state} label="When" />
        <SelectorFields state={state} choices={choices} usual="all" />
        <JobFields {...{ type, state, fresh }} startable={null} />
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

/** The fields below follow it: at once with a script, else after a click. */
const TypeChoice = ({ type }: { readonly type: JobType }) => (
  <div class="field">
    <label for="type">Job type</label>
    <select
      id="type"
      name="type"
      aria-describedby="type-help"
      hx-get="/schedules/new"
      hx-trigger="change"
      hx-include="closest form"
      hx-select="main"
      hx-target="main"
      hx-swap="outerMorph"
    >
      {REPEATABLE_JOB_TYPES.map((each) => (
        <option key={each} value={each} selected={each === type}>
          {jobTitle(each)}
        </option>
      ))}
    </select>
    <span id="type-help" class="help">
      {wordsOf(type).help}
    </span>
    <input type="hidden" name="fields_of" value={type} />
    <noscript>
      <button type="submit" class="quiet small" formmethod="get" formaction="/schedules/new" formnovalidate>
        Show its fields
      </button>
    </noscript>
  </div>
);
