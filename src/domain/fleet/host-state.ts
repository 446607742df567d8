import type { Instant } from '../base/instant.ts';

/** What is compared between two readings of a host. */
export const STATE_KINDS = ['package', 'container', 'unit', 'mount', 'port', 'user', 'key'] as const;
export type StateKind = (typeof STATE_KINDS)[number];

/** What changes are listed of: also files, by their snapshots. */
export const CHANGE_KINDS = [...STATE_KINDS, 'file'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** By name; `null` if the host did not report them, or reported more than are compared. */
export type StateFacts = ReadonlyMap<string, string> | null;
/** One reading of a host. */
export type HostState = Readonly<Record<StateKind, StateFacts>>;

/** Of each kind; a host with more is not compared in that kind. */
export const MAX_FACTS: Readonly<Record<StateKind, number>> = {
  package: 20_000,
  container: 1_000,
  unit: 5_000,
  mount: 1_000,
  port: 1_000,
  user: 1_000,
  key: 500,
};

/** Of names and values, in characters. */
export const MAX_FACT_NAME = 200;
export const MAX_FACT_VALUE = 300;

/** Something that differs between two readings of a host. */
export interface HostDifference {
  readonly kind: ChangeKind;
  readonly name: string;
  /** `null`: it was not there. */
  readonly before: string | null;
  /** `null`: it is gone. */
  readonly after: string | null;
}

export interface HostChange extends HostDifference {
  readonly id: number;
  readonly serverId: number;
  readonly serverName: string;
  /** It happened after this reading… */
  readonly since: Instant;
  /** … and before this one, which found it. */
  readonly at: Instant;
  /** Of files: the snapshot that found it, which may be gone. */
  readonly snapshotId: number | null;
}

/** The value of a fact that is changing at that moment, such as a unit that starts: it says nothing lasting. */
export const IN_TRANSITION = '';

/**
 * The differences by kind and name, and the state to compare the next reading with: what was not reported stays as it was.
 * What was never reported before is no difference.
 */
export function compareStates(
  former: HostState,
  found: HostState,
): { readonly differences: readonly HostDifference[]; readonly state: HostState } {
  const differences: HostDifference[] = [];
  const state: Partial<Record<StateKind, StateFacts>> = {};
  for (const kind of STATE_KINDS) {
    const was = former[kind];
    const is = settled(found[kind], was);
    state[kind] = is ?? was;
    if (was === null || is === null) continue;
    for (const name of [...new Set([...was.keys(), ...is.keys()])].sort()) {
      const before = was.get(name) ?? null;
      const after = is.get(name) ?? null;
      const lasting = before !== IN_TRANSITION && after !== IN_TRANSITION;
      if (lasting && before !== after) differences.push({ kind, name, before, after });
    }
  }
  return { differences, state: state as HostState };
}

/** Facts in transition keep their previous value. */
const settled = (found: StateFacts, was: StateFacts): StateFacts =>
  found &&
  new Map(
    Array.from(found, ([name, value]) => [name, value === IN_TRANSITION ? (was?.get(name) ?? value) : value]),
  );

/** `1.0 → 1.1`, `added: 1.0`, `removed: 1.1`. */
export function differenceText({ before, after }: Pick<HostDifference, 'before' | 'after'>): string {
  if (before === null) return `added: ${after}`;
  return after === null ? `removed: ${before}` : `${before} → ${after}`;
}
