import { originOf } from '../../../../../domain/access/requester.ts';
import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import { toMinute } from '../../../../../domain/base/instant.ts';
import { count, duration } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { boundsText } from '../automation/selector-fields.tsx';
import { detailValue, type ServerNames } from './audit-words.ts';

type Fields = Readonly<Record<string, unknown>>;

const RESULTS: Readonly<Record<string, string>> = { success: 'succeeded', left_out: 'left out' };

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** `5 succeeded, 1 failed`. */
function countsText(value: unknown): string | null {
  const counts = Object.entries(fieldsOf(value) ?? {}).filter(([, number]) => number !== 0);
  return counts.length === 0
    ? null
    : counts.map(([state, number]) => `${String(number)} ${RESULTS[state] ?? state}`).join(', ');
}

function serversText(value: unknown, servers: ServerNames): string | null {
  const fields = fieldsOf(value);
  const { by, ids, tags } = fields ?? {};
  if (by === 'all') return 'on all servers';
  if (by === 'ids' && Array.isArray(ids)) return `on ${selectorText({ by, ids }, servers)}`;
  return by === 'tags' && Array.isArray(tags) ? `on servers with ${selectorText({ by, tags })}` : null;
}

function limitsText(value: unknown): string | null {
  const { maxParallel, canary, stopAfterFailures } = fieldsOf(value) ?? {};
  if (typeof maxParallel !== 'number' || typeof canary !== 'number') return null;
  const stop = typeof stopAfterFailures === 'number' ? stopAfterFailures : null;
  return boundsText({ maxParallel, canary, stopAfterFailures: stop });
}

function cronText(value: unknown): string | null {
  const { expression, timeZone } = fieldsOf(value) ?? {};
  return typeof expression === 'string' && typeof timeZone === 'string'
    ? cronWords({ expression, timeZone })
    : null;
}

function requesterText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const { kind, name } = originOf(value);
  return `requested by ${kind === 'service' ? name : `${kind} ${name}`}`;
}

const serverText = (value: unknown, servers: ServerNames): string | null =>
  typeof value === 'number' ? `on ${servers.get(value) ?? `server ${value}`}` : null;

const alone = (value: unknown): string | null => (typeof value === 'string' ? detailValue(value) : null);

/** Details that say more without the name of their field. */
const PHRASES: Readonly<Record<string, (value: unknown, servers: ServerNames) => string | null>> = {
  status: (value) => (typeof value === 'string' ? (RESULTS[value] ?? detailValue(value)) : null),
  job_type: alone,
  kind: alone,
  server_id: serverText,
  selector: serversText,
  hosts: (value) => (typeof value === 'number' ? count(value, 'server') : null),
  counts: countsText,
  cron: cronText,
  opens: cronText,
  bounds: limitsText,
  requested_by: requesterText,
  until: (value) => (typeof value === 'number' ? `until ${toMinute(value)}` : null),
};
/** As a sentence has them; the others follow. */
const ORDER = Object.keys(PHRASES);

const snake = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A detail in words, or `null` if its name and value are all there is to say. */
export function phraseOf(key: string, value: unknown, servers: ServerNames): string | null {
  const name = snake(key);
  const ms = /^(.+)_ms$/.exec(name)?.[1];
  if (ms !== undefined && typeof value === 'number') return `${ms.replaceAll('_', ' ')} ${duration(value)}`;
  return PHRASES[name]?.(value, servers) ?? null;
}

export function inOrder(
  details: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const rank = ([key]: readonly [string, unknown]): number => {
    const at = ORDER.indexOf(snake(key));
    return at === -1 ? ORDER.length : at;
  };
  return details.toSorted((one, other) => rank(one) - rank(other));
}
