import { Field, type FormState } from './form.tsx';

/** The name of a time zone; a new form has the browser's. */
export const TimeZoneField = ({
  state,
  value = 'UTC',
  isNew = true,
}: {
  readonly state: FormState;
  readonly value?: string;
  readonly isNew?: boolean;
}) => (
  <>
    <Field
      state={state}
      name="time_zone"
      label="Time zone"
      help="For example Europe/Berlin."
      value={value}
      list="time-zones"
      zone={isNew}
    />
    <datalist id="time-zones">
      {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  </>
);
