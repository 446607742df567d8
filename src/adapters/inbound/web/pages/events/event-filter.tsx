import { capital } from '../../../../../domain/base/spans.ts';
import { EVENT_TITLES, EVENT_TYPES, SEVERITIES } from '../../../../../domain/events/event.ts';
import type { EventFilter, RawFilter } from '../../../../../domain/events/event-filter.ts';
import { Choices, Field, type FormState, problemAt } from '../../components/form.tsx';
import { listOf } from '../../form-state.ts';

const SEVERITY_HELP: Readonly<Record<(typeof SEVERITIES)[number], string>> = {
  info: 'Everything, including successful backups.',
  warning: 'Needs attention soon.',
  critical: 'Failures only.',
};

/** Test events are always sent. */
const CHOICES = EVENT_TYPES.filter((type) => type !== 'ping');

const FOLDED = ['/which', '/events', '/tags'];

/** The selection of events; what is rarely set is folded, unless it is set or wrong. */
export function FilterFields({ state, filter }: { readonly state: FormState; readonly filter: EventFilter }) {
  const isSet = filter.events !== null || filter.tags !== null;
  return (
    <>
      <Choices
        state={state}
        name="min_severity"
        legend="Minimum severity"
        type="radio"
        chosen={[filter.minSeverity]}
        choices={SEVERITIES.map((value) => ({ value, label: capital(value), help: SEVERITY_HELP[value] }))}
      />
      <details class="more" open={isSet || FOLDED.some((path) => problemAt(state, path) !== null)}>
        <summary>Events and servers</summary>
        <Choices
          state={state}
          name="which"
          legend="Which events"
          type="radio"
          chosen={[filter.events === null ? 'all' : 'some']}
          choices={[
            { value: 'all', label: 'All', help: 'Includes events added in later versions.' },
            { value: 'some', label: 'Chosen events' },
          ]}
        />
        <div class="boxes for-some">
          <Choices
            state={state}
            name="events"
            legend="Chosen events"
            type="checkbox"
            chosen={filter.events ?? []}
            choices={CHOICES.map((value) => ({ value, label: EVENT_TITLES[value] }))}
          />
        </div>
        <Field
          state={state}
          name="tags"
          label="Only servers with one of these tags"
          help="Comma-separated. Empty: all servers, and events about no server."
          value={filter.tags?.join(', ') ?? ''}
          required={false}
        />
      </details>
    </>
  );
}

export const filterOf = (form: URLSearchParams): RawFilter => ({
  events: form.get('which') === 'some' ? form.getAll('events') : null,
  minSeverity: form.get('min_severity') ?? undefined,
  tags: listOf(form, 'tags'),
});

/** In a few words. */
export function filterText({ events, minSeverity, tags }: EventFilter): string {
  const which = events === null ? 'all events' : events.map((event) => EVENT_TITLES[event]).join(', ');
  return [
    which,
    ...(minSeverity === 'info' ? [] : [minSeverity === 'critical' ? 'only critical' : 'warning or critical']),
    ...(tags === null ? [] : [`servers tagged ${tags.join(', ')}`]),
  ].join('; ');
}
