import type { Instant } from '../../../../../domain/base/instant.ts';
import { Field, type FormState, problemAt } from '../../components/form.tsx';
import { At } from '../../components/time.tsx';

/** The address of the live preview of the fields. */
export const CRON_CHECK = '/live/times';

const live = (isRefused: boolean) => ({
  'hx-get': CRON_CHECK,
  'hx-include': '#cron, #time_zone',
  // The error is at the field already.
  'hx-trigger': `input changed delay:300ms${isRefused ? '' : ', load'}`,
  'hx-target': '#times',
  'hx-swap': 'outerHTML',
});

/** When something comes round: an expression, and the clocks that it is read on. */
export function CronFields({ state, label }: { readonly state: FormState; readonly label: string }) {
  return (
    <>
      <div {...live(problemAt(state, '/cron') !== null || problemAt(state, '/time_zone') !== null)}>
        <Field
          state={state}
          name="cron"
          label={label}
          help="Minute, hour, day of the month, month, day of the week: 30 2 * * * is every night at half past two, 0 3 * * 0 Sundays at three. Or @daily, @weekly."
          placeholder="30 2 * * *"
        />
        <Field
          state={state}
          name="time_zone"
          label="Time zone"
          help="Such as Europe/Berlin."
          value="UTC"
          list="time-zones"
        />
      </div>
      <datalist id="time-zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Times times={[]} zone="UTC" now={0} fault={null} />
    </>
  );
}

interface TimesProps {
  readonly times: readonly Instant[];
  readonly zone: string;
  readonly now: Instant;
  readonly fault: string | null;
}

/** The next few times, or why there are none. */
export function Times({ times, zone, now, fault }: TimesProps) {
  return (
    <div id="times" class="field" role="status">
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
  );
}
