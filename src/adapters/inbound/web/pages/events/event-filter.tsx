import { EVENT_TYPES, SEVERITIES } from '../../../../../domain/events/event.ts';
import type { EventFilter, RawFilter } from '../../../../../domain/events/event-filter.ts';
import { Choices, type FormState } from '../../components/form.tsx';

const SEVERITY_HELP: Readonly<Record<(typeof SEVERITIES)[number], string>> = {
  info: 'Everything, including successful backups.',
  warning: 'Needs attention soon.',
  critical: 'Failures only.',
};

/** Test events are always sent. */
const CHOICES = EVENT_TYPES.filter((type) => type !== 'ping');

/** The selection of events. */
export function FilterFields({ state, filter }: { readonly state: FormState; readonly filter: EventFilter }) {
  return (
    <>
      <Choices
        state={state}
        name="min_severity"
        legend="Minimum severity"
        type="radio"
        chosen={[filter.minSeverity]}
        choices={SEVERITIES.map((value) => ({ value, label: value, help: SEVERITY_HELP[value] }))}
      />
      <Choices
        state={state}
        name="which"
        legend="Which events"
        type="radio"
        chosen={[filter.events === null ? 'all' : 'some']}
        choices={[
          { value: 'all', label: 'All', help: 'Includes events added in later versions.' },
          { value: 'some', label: 'Only these' },
        ]}
      />
      <div class="boxes">
        <Choices
          state={state}
          name="events"
          legend="Only these events"
          type="checkbox"
          chosen={filter.events ?? []}
          choices={CHOICES.map((value) => ({ value, label: value }))}
        />
      </div>
    </>
  );
}

export const filterOf = (form: URLSearchParams): RawFilter => ({
  events: form.get('which') === 'some' ? form.getAll('events') : null,
  minSeverity: form.get('min_severity') ?? undefined,
});

/** In a few words. */
export function filterText({ events, minSeverity }: EventFilter): string {
  const which = events === null ? 'all events' : events.join(', ');
  return minSeverity === 'info' ? which : `${which}; from ${minSeverity} up`;
}
