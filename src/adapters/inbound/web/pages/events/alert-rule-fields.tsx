import { DAY, HOUR, MINUTE } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { type AlertPolicy, DEFAULT_POLICIES } from '../../../../../domain/events/alert-policy.ts';
import { EVENT_TITLES, SEVERITIES } from '../../../../../domain/events/event.ts';

const LASTING = [0, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR, DAY];
const REMINDERS = [HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY];

/** A setting of a rule, as a list of choices. */
interface Setting {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export const formOf = (kind: string): string => `rule-${kind.replace('.', '-')}`;

export const chosenOf = ({ value, options }: Setting): string =>
  options.find((each) => each.value === value)?.label ?? value;

/** A choice in the table; the form is at the end of its row. */
export const Inline = ({
  name,
  label,
  value,
  options,
  kind,
}: Setting & { readonly kind: AlertPolicy['kind'] }) => (
  <select name={name} form={formOf(kind)} aria-label={`${label}: ${EVENT_TITLES[kind]}`} autocomplete="off">
    {options.map((each) => (
      <option key={each.value} value={each.value} selected={each.value === value}>
        {each.label}
      </option>
    ))}
  </select>
);

export const debounceOf = ({ kind, debounceMs }: AlertPolicy): Setting => ({
  name: 'debounce',
  label: 'Notify after',
  value: String(debounceMs),
  options: offered(LASTING, debounceMs).map((ms) => ({
    value: String(ms),
    label: `${ms === 0 ? 'immediately' : duration(ms)}${ms === DEFAULT_POLICIES[kind].debounceMs ? ' (default)' : ''}`,
  })),
});

export const remindOf = ({ kind, remindMs }: AlertPolicy): Setting => {
  const usual = DEFAULT_POLICIES[kind].remindMs;
  return {
    name: 'remind',
    label: 'Repeat every',
    value: remindMs === null ? 'never' : String(remindMs),
    options: [
      { value: 'never', label: usual === null ? 'never (default)' : 'never' },
      ...offered(REMINDERS, remindMs).map((ms) => ({
        value: String(ms),
        label: `${duration(ms)}${ms === usual ? ' (default)' : ''}`,
      })),
    ],
  };
};

export const severityOf = ({ severity }: AlertPolicy): Setting => ({
  name: 'severity',
  label: 'Severity',
  value: severity ?? 'own',
  options: [{ value: 'own', label: 'default' }, ...SEVERITIES.map((each) => ({ value: each, label: each }))],
});

/** The rule in one line, for phones: the fields are on its page. */
export function summaryOf(policy: AlertPolicy): string {
  const [after, every] = [debounceOf(policy), remindOf(policy)].map((setting) =>
    chosenOf(setting).replace(' (default)', ''),
  );
  return [
    after === 'immediately' ? 'At once' : `After ${after}`,
    every === 'never' ? 'not repeated' : `every ${every}`,
    `${policy.severity ?? 'default'} severity`,
  ].join(', ');
}

/** The usual values, and the current one. */
const offered = (usual: readonly number[], now: number | null): readonly number[] =>
  now === null || usual.includes(now) ? usual : [...usual, now].toSorted((a, b) => a - b);
