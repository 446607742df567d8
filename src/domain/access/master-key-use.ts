export interface MasterKeyUse {
  readonly id: string;
  /** `current` encrypts new secrets, `old` only decrypts, `unknown` is not there. */
  readonly state: 'current' | 'old' | 'unknown';
  readonly secrets: number;
}

/** What the service's keys are used for, the current key first. */
export function keyUse(
  known: readonly string[],
  counts: ReadonlyMap<string, number>,
): readonly MasterKeyUse[] {
  const strangers = [...counts.keys()].filter((id) => !known.includes(id)).toSorted();
  return [...known, ...strangers].map((id, index) => ({
    id,
    state: index === 0 ? 'current' : known.includes(id) ? 'old' : 'unknown',
    secrets: counts.get(id) ?? 0,
  }));
}
