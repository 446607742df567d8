import { type InputProblem, InvalidInput } from '../base/errors.ts';
import { TAG, TAG_RULE } from '../fleet/server-description.ts';
import { EVENT_TYPES, type EventType, isAtLeast, SEVERITIES, type Severity } from './event.ts';

/** Which events a receiver subscribes to. */
export interface EventFilter {
  /** `null`: all, later ones too. */
  readonly events: readonly EventType[] | null;
  readonly minSeverity: Severity;
  /** Only about servers with one of these tags, and then no event without a server; `null`: all. */
  readonly tags: readonly string[] | null;
}

export interface RawFilter {
  readonly events?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly minSeverity?: string | undefined;
}

export const EVERYTHING: EventFilter = { events: null, minSeverity: 'info', tags: null };

const MAX_TAGS = 50;

/** `tags`: of the server that the event is about; `null`: it is about none. */
export const wants = (
  filter: EventFilter,
  event: { readonly type: EventType; readonly severity: Severity },
  tags: readonly string[] | null,
): boolean =>
  (filter.events === null || filter.events.includes(event.type)) &&
  isAtLeast(event.severity, filter.minSeverity) &&
  (filter.tags === null || (tags ?? []).some((tag) => filter.tags?.includes(tag)));

/** Applies the given fields and keeps the rest. Throws `InvalidInput`. */
export function eventFilter(raw: RawFilter, before: EventFilter = EVERYTHING): EventFilter {
  const problems: InputProblem[] = [];
  const events = raw.events === undefined ? before.events : knownEvents(raw.events, problems);
  const tags = raw.tags === undefined ? before.tags : knownTags(raw.tags, problems);
  const minSeverity = SEVERITIES.find((each) => each === (raw.minSeverity ?? before.minSeverity));
  if (minSeverity === undefined) {
    problems.push({ path: '/min_severity', message: `A severity is one of ${SEVERITIES.join(', ')}.` });
  }
  if (minSeverity === undefined || problems.length > 0) throw new InvalidInput(problems);
  return { events, minSeverity, tags };
}

function knownEvents(raw: readonly string[] | null, problems: InputProblem[]): readonly EventType[] | null {
  if (raw === null) return null;
  if (raw.length === 0) problems.push({ path: '/events', message: 'Name at least one event, or all.' });
  for (const name of raw) {
    if (EVENT_TYPES.some((each) => each === name)) continue;
    const shown = name.slice(0, 40);
    problems.push({
      path: '/events',
      message: `There is no event "${shown}"; the events are ${EVENT_TYPES.join(', ')}.`,
    });
  }
  return EVENT_TYPES.filter((each) => raw.includes(each));
}

/** No tag at all: every server. */
function knownTags(raw: readonly string[] | null, problems: InputProblem[]): readonly string[] | null {
  if (raw === null || raw.length === 0) return null;
  if (raw.length > MAX_TAGS) problems.push({ path: '/tags', message: `At most ${MAX_TAGS} tags.` });
  if (!raw.every((tag) => TAG.test(tag))) problems.push({ path: '/tags', message: TAG_RULE });
  return [...new Set(raw)];
}
