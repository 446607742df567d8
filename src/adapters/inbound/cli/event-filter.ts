import { type Command, Option } from 'commander';
import { EVENT_TYPES, SEVERITIES } from '../../../domain/events/event.ts';
import type { EventFilter, RawFilter } from '../../../domain/events/event-filter.ts';
import { listed } from './arguments.ts';

export interface FilterOptions {
  readonly events?: readonly string[];
  readonly minSeverity?: string;
  readonly tags?: readonly string[];
}

/** The options that select events. */
export const withFilter = (command: Command): Command =>
  command
    .option('--events <list>', `events to send: all, or some of ${EVENT_TYPES.join(', ')}`, listed)
    .addOption(
      new Option('--min-severity <severity>', 'minimum severity of events to send').choices([...SEVERITIES]),
    )
    .option('--tags <list>', 'only events about servers with one of these tags; all: about any', listed);

export const filterOf = ({ events, minSeverity, tags }: FilterOptions): RawFilter => ({
  events: events?.includes('all') ? null : events,
  minSeverity,
  tags: tags?.includes('all') ? null : tags,
});

export const eventsText = ({ events, tags }: EventFilter): string =>
  [events === null ? 'all' : events.join(', '), ...(tags === null ? [] : [`tagged ${tags.join(', ')}`])].join(
    '; ',
  );
