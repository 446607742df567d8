import { DAY, HOUR, MINUTE } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { type AlertPolicy, DEFAULT_POLICIES } from '../../../../../domain/events/alert-policy.ts';
import { SEVERITIES } from '../../../../../domain/events/event.ts';
import { severitiesOf } from '../../../../../domain/events/notification-words.ts';
import { Status } from '../../components/status.tsx';
import { gradesOf } from './alert-recipients.tsx';
import { SEVERITY_TONES } from './alert-table.tsx';

const LASTING = [0, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR, DAY];
const REMINDERS = [HOUR, 6 * HOUR, 12 * HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY];

/** A setting of a rule, as a list of choices. */
interface Setting {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

const USUAL = ' (default)';

/** What a rule says; bold if an administrator changed it. */
export function Chosen({ setting: { value, options } }: { readonly setting: Setting }) {
  const label = options.find((each) => each.value === value)?.label ?? value;
  return label.endsWith(USUAL) ? <>{label.slice(0, -USUAL.length)}</> : <strong>{label}</strong>;
}

export const debounceOf = ({ kind, debounceMs }: AlertPolicy): Setting => ({
  name: 'debounce',
  label: 'Notify after',
  value: String(debounceMs),
  options: offered(LASTING, debounceMs).map((ms) => ({
    value: String(ms),
    label: `${ms === 0 ? 'immediately' : duration(ms)}${ms === DEFAULT_POLICIES[kind].debounceMs ? USUAL : ''}`,
  })),
});

export const remindOf = ({ kind, remindMs }: AlertPolicy): Setting => {
  const usual = DEFAULT_POLICIES[kind].remindMs;
  return {
    name: 'remind',
    label: 'Repeat every',
    value: remindMs === null ? 'never' : String(remindMs),
    options: [
      { value: 'never', label: usual === null ? `never${USUAL}` : 'never' },
      ...offered(REMINDERS, remindMs).map((ms) => ({
        value: String(ms),
        label: `${duration(ms)}${ms === usual ? USUAL : ''}`,
      })),
    ],
  };
};

/** The severities that a rule's alerts have; a changed one in bold as the other settings. */
export function SeverityPill({ policy }: { readonly policy: AlertPolicy }) {
  const grades = gradesOf(policy);
  const tone = SEVERITY_TONES[grades.at(-1) ?? 'info'];
  const words = grades.join(' or ');
  if (policy.severity === null) return <Status tone={tone}>{`${words}${USUAL}`}</Status>;
  return (
    <strong>
      <Status tone={tone}>{words}</Status>
    </strong>
  );
}

export const severityOf = ({ kind, severity }: AlertPolicy): Setting => ({
  name: 'severity',
  label: 'Severity',
  value: severity ?? 'own',
  options: [
    { value: 'own', label: `${severitiesOf(kind).join(' or ')}${USUAL}` },
    ...SEVERITIES.map((each) => ({ value: each, label: each })),
  ],
});

/** The usual values, and the current one. */
const offered = (usual: readonly number[], now: number | null): readonly number[] =>
  now === null || usual.includes(now) ? usual : [...usual, now].toSorted((a, b) => a - b);
