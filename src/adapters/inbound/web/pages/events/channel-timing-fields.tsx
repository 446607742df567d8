import { DAY_NAMES, WEEK } from '../../../../../domain/automation/cron-choice.ts';
import {
  type ChannelTiming,
  dayName,
  type RawTiming,
  USUAL_TIME,
} from '../../../../../domain/events/channels/channel-timing.ts';
import { Choices, Field, type FormState, problemAt, Select } from '../../components/form.tsx';
import { TimeZoneField } from '../../components/time-zone-field.tsx';
import { textOf } from '../../form-state.ts';

interface Props {
  readonly state: FormState;
  readonly timing: ChannelTiming;
  readonly exists: boolean;
}

const NAMES = ['quiet_from', 'quiet_until', 'digest', 'digest_at', 'report_day', 'report_at', 'time_zone'];

/** When a channel sends: quiet hours, a digest, a weekly report; folded unless one is set or wrong. */
export const ChannelTimingFields = ({ state, timing, exists }: Props) => {
  const { quiet, digest, report, criticalAtOnce, timeZone } = timing;
  const time = (name: string, label: string, value: string) => (
    <Field state={state} name={name} label={label} type="time" value={value} required={false} />
  );
  const isSet = quiet !== null || digest !== null || report !== null;
  return (
    <details class="more" open={isSet || NAMES.some((name) => problemAt(state, `/${name}`) !== null)}>
      <summary>Quiet hours, digests and weekly report</summary>
      <div class="two">
        {time('quiet_from', 'Quiet hours from', quiet?.from ?? '')}
        {time('quiet_until', 'Quiet hours until', quiet?.until ?? '')}
      </div>
      <p class="help">Events of quiet hours are sent as one message when they end.</p>
      <div class="two">
        <Select
          state={state}
          name="digest"
          label="Messages"
          value={digest?.every ?? 'none'}
          options={[
            { value: 'none', label: 'One for each event' },
            { value: 'hour', label: 'One an hour' },
            { value: 'day', label: 'One a day' },
          ]}
        />
        {time('digest_at', 'Time of the daily message', digest?.every === 'day' ? digest.at : USUAL_TIME)}
      </div>
      <Choices
        state={state}
        name="critical_at_once"
        legend="Critical events"
        type="checkbox"
        chosen={criticalAtOnce ? ['on'] : []}
        choices={[
          {
            value: 'on',
            label: 'Send critical events immediately',
            help: 'Also in quiet hours, and each as its own message.',
          },
        ]}
      />
      <div class="two">
        <Select
          state={state}
          name="report_day"
          label="Weekly report"
          value={report === null ? 'none' : dayName(report.day)}
          options={[
            { value: 'none', label: 'None' },
            ...WEEK.map((day) => ({ value: dayName(day), label: `Every ${DAY_NAMES[day]}` })),
          ]}
        />
        {time('report_at', 'Time of the report', report?.at ?? USUAL_TIME)}
      </div>
      <TimeZoneField state={state} value={timeZone} isNew={!exists} />
    </details>
  );
};

export const timingOf = (form: URLSearchParams): RawTiming => ({
  timeZone: textOf(form, 'time_zone') || undefined,
  reportDay: textOf(form, 'report_day') || undefined,
  reportAt: textOf(form, 'report_at'),
  quietFrom: textOf(form, 'quiet_from'),
  quietUntil: textOf(form, 'quiet_until'),
  digest: textOf(form, 'digest') || undefined,
  digestAt: textOf(form, 'digest_at'),
  criticalAtOnce: form.get('critical_at_once') === 'on',
});
