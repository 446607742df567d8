import {
  choiceOf,
  DAY_NAMES,
  RECURRENCES,
  type Recurrence,
  USUAL_CHOICE,
  WEEK,
} from '../../../../../domain/automation/cron-choice.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { Choices, Field, type FormState, Select } from '../../components/form.tsx';
import { At } from '../../components/time.tsx';
import { TimeZoneField } from '../../components/time-zone-field.tsx';

/** The address of the live preview of the fields. */
export const CRON_CHECK = '/live/times';

const LABELS: Readonly<Record<Recurrence, string>> = {
  hour: 'Every hour',
  day: 'Every day',
  week: 'Every week',
  month: 'Every month',
  custom: 'Custom (cron expression)',
};

/** The live preview; `what`: the field that says what is planned. */
export const livePreview = {
  'hx-get': CRON_CHECK,
  'hx-include': 'closest form',
  'hx-trigger': 'input delay:300ms, load',
  'hx-target': '#times',
  'hx-swap': 'outerHTML',
  // A form that is not filled in yet has a preview, too.
  'hx-validate': 'false',
};

/** When something recurs: a time and its days, or an expression, on the clocks of a time zone. */
export function CronFields({
  state,
  label,
  zone,
}: {
  readonly state: FormState;
  readonly label: string;
  /** Of a new one; `null`: the browser's. */
  readonly zone: string | null;
}) {
  const typed = state.typed.get('cron') ?? '';
  const choice = typed === '' ? USUAL_CHOICE : choiceOf(typed);
  return (
    <div class="when">
      <Select
        state={state}
        name="every"
        label={label}
        value={choice.every}
        options={RECURRENCES.map((value) => ({ value, label: LABELS[value] }))}
      />
      <div class="if-week">
        <Choices
          state={state.typed.has('every') ? state : { ...state, typed: new URLSearchParams() }}
          name="days"
          legend="Days"
          type="checkbox"
          chosen={choice.days.map(String)}
          choices={WEEK.map((day) => ({ value: String(day), label: DAY_NAMES[day] }))}
        />
      </div>
      <div class="if-month">
        <Field
          state={state}
          name="day"
          label="Day of the month"
          value={String(choice.day)}
          inputmode="numeric"
          required={false}
          help="Months without that day are skipped."
        />
      </div>
      <div class="if-time">
        <Field state={state} name="at" label="Time" type="time" value={choice.at} required={false} />
      </div>
      <div class="if-custom">
        <Field
          state={state}
          name="cron"
          label="Cron expression"
          required={false}
          help="Minute, hour, day of the month, month, day of the week: 0 3 * * 1-5 is 03:00 from Monday to Friday."
          placeholder="30 2 * * *"
        />
      </div>
      <TimeZoneField state={state} value={zone ?? undefined} isNew={zone === null} />
    </div>
  );
}

interface TimesProps {
  readonly times: readonly Instant[];
  readonly zone: string;
  readonly now: Instant;
  readonly fault: string | null;
  /** What would happen, in one sentence. */
  readonly sentence?: string | null;
}

/** The next few times, or why there are none. */
export function Times({ times, zone, now, fault, sentence = null }: TimesProps) {
  return (
    <section id="times" class="card" aria-labelledby="times-title">
      <header>
        <h2 id="times-title">Preview</h2>
      </header>
      <div class="body" role="status">
        {sentence === null ? null : <p>{sentence}</p>}
        {fault === null ? null : <p class="fault">{fault}</p>}
        {times.length === 0 ? null : (
          <>
            <p class="help">Next runs</p>
            <ol class="times">
              {times.map((at) => (
                <li key={at}>
                  <At at={at} now={now} zone={zone} />
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </section>
  );
}
