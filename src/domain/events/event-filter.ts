import { type InputProblem, InvalidInput } from '../base/errors.ts';
import { EVENT_TYPES, type EventType, isAtLeast, SEVERITIES, type Severity } from './event.ts';

/** Which events a receiver subscribes to. */
export interface EventFilter {
  /** `null`: all, later ones too. */
  readonly events: readonly EventType[] | null;
  readonly minSeverity: Severity;
}

export interface RawFilter {
  readonly events?: readonly string[] | null | undefined;
  readonly minSeverity?: string | undefined;
}

export const EVERYTHING: EventFilter = { events: null, minSeverity: 'info' };

export const wants = (filter: EventFilter, event: { type: EventType; severity: Severity }): boolean =>
  (filter.events === null || filter.events.includes(event.type)) &&
  isAtLeast(event.severity, filter.minSeverity);

/** Applies the given fields and keeps the rest. Throws `InvalidInput`. */
export function eventFilter(raw: RawFilter, before: EventFilter = EVERYTHING): EventFilter {
  const problems: InputProblem[] = [];
  const events = raw.events === undefined ? before.events : knownEvents(raw.events, problems);
  const minSeverity = SEVERITIES.find((each) => each === (raw.minSeverity ?? before.minSeverity));
  if (minSeverity === undefined) {
    problems.push({ path: '/min_severity', message: `A severity is one of ${SEVERITIES.join(', ')}.` });
  }
  if (minSeverity === undefined || problems.length > 0) throw new InvalidInput(problems);
  return { events, minSeverity };
}

function knownEvents(raw: readonly string[] | null, problems: InputProblem[]): readonly EventType[] | null {
  if (raw === null) return null;
  if (raw.length === 0) problems.push({ path: '/events', message: 'Name at least one event, or all.' });
  for (const name of raw) {
    if (EVENT_TYPES.some((each) => each === name)) continue;
    const shown = name.slice(0, 40);
    problems.push({
      path: '/events',
      message: `There is no event "${shown}"; they are ${EVENT_TYPES.join(', ')}.`,
    });
  }
  return EVENT_TYPES.filter((each) => raw.includes(each));
}
