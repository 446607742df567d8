/** What a guarded package update compares. */
export interface HostHealth {
  /** Failed systemd units. */
  readonly failedUnits: readonly string[];
  readonly ports: readonly ListeningPort[];
  /** By the numbers of the checks, from 0: `null` for one that passed, or what it printed. */
  readonly checks: readonly (string | null)[];
}

export interface ListeningPort {
  readonly protocol: 'tcp' | 'udp';
  /** An IPv6 address is in brackets. */
  readonly address: string;
  readonly port: number;
}

/** Something that was well before an update and is not afterwards. */
export interface Worsening {
  readonly kind: 'unit' | 'port' | 'check';
  readonly name: string;
  /** What the check printed; empty for others. */
  readonly detail: string;
}

/** ip(7): from here on the kernel hands out ports, so that a service may have another one after each start. */
export const FIRST_HANDED_OUT = 32_768;
const WILDCARDS = ['0.0.0.0', '[::]'];

export const portText = ({ protocol, address, port }: ListeningPort): string =>
  `${protocol} ${address}:${port}`;

/** `checks`: the names of the checks, in their order. */
export function worsenings(before: HostHealth, after: HostHealth, checks: readonly string[]): Worsening[] {
  const units = after.failedUnits
    .filter((unit) => !before.failedUnits.includes(unit))
    .map((name) => ({ kind: 'unit', name, detail: '' }) as const);
  const ports = before.ports
    .filter((each) => each.port < FIRST_HANDED_OUT && !isOpen(each, after.ports))
    .map((each) => ({ kind: 'port', name: portText(each), detail: '' }) as const);
  const failed = checks.flatMap((name, at) => {
    const problem = after.checks[at] ?? null;
    return before.checks[at] === null && problem !== null
      ? [{ kind: 'check', name, detail: problem } as const]
      : [];
  });
  return [...units, ...ports, ...failed];
}

/** A socket for all addresses, of either family, also serves one address. */
const isOpen = ({ protocol, address, port }: ListeningPort, open: readonly ListeningPort[]): boolean =>
  open.some(
    (each) =>
      each.protocol === protocol &&
      each.port === port &&
      (each.address === address || WILDCARDS.includes(each.address)),
  );

export function isWorsening(value: unknown): value is Worsening {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, name, detail } = value as Partial<Record<keyof Worsening, unknown>>;
  const isKind = kind === 'unit' || kind === 'port' || kind === 'check';
  return isKind && typeof name === 'string' && typeof detail === 'string';
}

/** `unit nginx.service failed`, `port tcp 0.0.0.0:80 is closed`, `check tcp 5432 fails`. */
export function describeWorsening({ kind, name, detail }: Worsening): string {
  if (kind === 'unit') return `unit ${name} failed`;
  if (kind === 'port') return `port ${name} is closed`;
  return `check ${name} fails${detail === '' ? '' : ` (${detail})`}`;
}
