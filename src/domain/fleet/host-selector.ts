import type { Reach } from '../access/actor.ts';
import { type InputProblem, InvalidInput } from '../base/errors.ts';

/** Which servers something applies to. Tags and `all` include servers that are added later. */
export type HostSelector =
  | { readonly by: 'ids'; readonly ids: readonly number[] }
  /** Servers with any of the tags. */
  | { readonly by: 'tags'; readonly tags: readonly string[] }
  | { readonly by: 'all' };

/** As callers write it. */
export interface RawSelector {
  readonly ids?: readonly number[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/** The most servers that one request may name or reach. */
export const MAX_HOSTS = 10_000;
const MAX_TAGS = 20;

/** Throws `InvalidInput` unless exactly one of the three is given. Duplicate ids and tags are dropped. */
export function hostSelector(raw: RawSelector): HostSelector {
  const { ids, tags, all } = raw;
  const given = [ids !== undefined, tags !== undefined, all !== undefined].filter(Boolean).length;
  if (given !== 1 || all === false) throw faultAt('', 'Pass exactly one of ids, tags and all (true).');
  if (ids) {
    const each = [...new Set(ids)];
    if (each.length === 0 || each.length > MAX_HOSTS)
      throw faultAt('/ids', `Name 1 to ${MAX_HOSTS} servers.`);
    return { by: 'ids', ids: each };
  }
  if (tags) {
    const each = [...new Set(tags)];
    if (each.length === 0 || each.length > MAX_TAGS) throw faultAt('/tags', `Name 1 to ${MAX_TAGS} tags.`);
    return { by: 'tags', tags: each };
  }
  return { by: 'all' };
}

/** A selector as a caller would write it. */
export const rawSelector = (selector: HostSelector): RawSelector =>
  selector.by === 'ids'
    ? { ids: selector.ids }
    : selector.by === 'tags'
      ? { tags: selector.tags }
      : { all: true };

const faultAt = (path: string, message: string): InvalidInput => {
  const problem: InputProblem = { path: `/selector${path}`, message };
  return new InvalidInput([problem]);
};

export function selects(
  selector: HostSelector,
  server: { readonly id: number; readonly tags: readonly string[] },
): boolean {
  if (selector.by === 'ids') return selector.ids.includes(server.id);
  return selector.by === 'all' || selector.tags.some((tag) => server.tags.includes(tag));
}

/** Whether it can only ever mean servers there. */
export function staysWithin(selector: HostSelector, { ids, tags }: Reach): boolean {
  if (ids === null) return true;
  if (selector.by === 'tags') return selector.tags.every((tag) => tags.has(tag));
  return selector.by === 'ids' && selector.ids.every((id) => ids.has(id));
}

const MAX_REPORTED = 5;

/** The servers that `selectorText` names. */
export const reportedIds = (selector: HostSelector): readonly number[] =>
  selector.by === 'ids' ? selector.ids.slice(0, MAX_REPORTED) : [];

/** Such as `servers web-01, 2`, `tag web`, `all servers`. `names`: of `reportedIds`, as far as they are known. */
export function selectorText(selector: HostSelector, names: ReadonlyMap<number, string> = new Map()): string {
  if (selector.by === 'all') return 'all servers';
  const [words, one] =
    selector.by === 'ids'
      ? [selector.ids.map((id) => names.get(id) ?? id), 'server']
      : [selector.tags, 'tag'];
  return `${words.length === 1 ? one : `${one}s`} ${shortened(words)}`;
}

function shortened(words: readonly (string | number)[]): string {
  const more = words.length - MAX_REPORTED;
  return more > 0 ? `${words.slice(0, MAX_REPORTED).join(', ')} and ${more} more` : words.join(', ');
}

/** The part of a selector about servers there, with any of these tags; `null` if it is about others only. */
export function visibleSelector(selector: HostSelector, { ids, tags }: Reach): HostSelector | null {
  if (ids === null || selector.by === 'all') return selector;
  if (selector.by === 'tags') {
    const shown = selector.tags.filter((tag) => tags.has(tag));
    return shown.length === 0 ? null : { by: 'tags', tags: shown };
  }
  const shown = selector.ids.filter((id) => ids.has(id));
  return shown.length === 0 ? null : { by: 'ids', ids: shown };
}
