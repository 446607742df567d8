const CHANGE_KINDS = ['upgrade', 'downgrade', 'install', 'remove'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

export const isChangeKind = (value: unknown): value is ChangeKind =>
  (CHANGE_KINDS as readonly unknown[]).includes(value);

/** One package that an upgrade or a downgrade changes. */
export interface PackageChange {
  readonly kind: ChangeKind;
  /** As the package manager writes it, with the architecture if it differs from the host's. */
  readonly name: string;
  /** `null` for one that comes in. */
  readonly from: string | null;
  /** `null` for one that goes. */
  readonly to: string | null;
  /** Known to fix a security problem. */
  readonly security: boolean;
}

/** Two changes that bring about the same are the same, whatever else is known of them. */
export const changeLine = ({ kind, name, from, to }: PackageChange): string =>
  `${kind} ${name} ${from ?? '-'} ${to ?? '-'}`;

/** Sorted by order of execution, then by name: the same changes always give the same list. */
export const sortChanges = (changes: readonly PackageChange[]): PackageChange[] =>
  changes.toSorted((one, other) => (changeLine(one) < changeLine(other) ? -1 : 1));

export const describeChange = (change: PackageChange): string =>
  `${change.name} ${change.from ?? '(new)'} -> ${change.to ?? '(removed)'}${change.security ? ' [security]' : ''}`;

export function isPackageChange(value: unknown): value is PackageChange {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, name, from, to } = value as Partial<Record<keyof PackageChange, unknown>>;
  const isVersion = (version: unknown): boolean => version === null || typeof version === 'string';
  return isChangeKind(kind) && typeof name === 'string' && isVersion(from) && isVersion(to);
}
