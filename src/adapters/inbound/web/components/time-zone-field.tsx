import { Field, type FormState } from './form.tsx';
import { Options } from './options.tsx';

/** The name of a time zone; a new form has the browser's. */
export const TimeZoneField = ({
  state,
  value = 'UTC',
  isNew = true,
  required = true,
  help = 'For example Europe/Berlin.',
}: {
  readonly state: FormState;
  readonly value?: string | undefined;
  readonly isNew?: boolean;
  readonly required?: boolean;
  readonly help?: string;
}) => (
  <>
    <Field
      state={state}
      name="time_zone"
      label="Time zone"
      help={help}
      value={value}
      list="time-zones"
      placeholder="Europe/Berlin"
      zone={isNew ? 'value' : 'placeholder'}
      required={required}
    />
    <Options id="time-zones" values={['UTC', ...Intl.supportedValuesOf('timeZone')]} />
  </>
);
