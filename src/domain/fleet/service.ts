import type { Instant } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';
import type { ContainerFact, FailedUnit, Inventory } from './inventory.ts';

/** Worst first, the order in which lists have them. */
export const SERVICE_STATES = ['failed', 'unknown', 'stopped', 'ok'] as const;
export type ServiceState = (typeof SERVICE_STATES)[number];

export type ServiceKind = 'container' | 'unit';

/** Something that a host runs, or should: a container, or a unit of systemd that failed. */
export interface FoundService {
  readonly kind: ServiceKind;
  /** The container's or unit's name; with the kind it is the service's identity on its server. */
  readonly label: string;
  readonly state: ServiceState;
  /** One line, in the words of the engine or of the unit. */
  readonly message: string;
  /** The Compose project, if it belongs to one. */
  readonly project: string | null;
  /** The container's name; `null` for a unit. */
  readonly container: string | null;
  /** When its state was last read from the host. */
  readonly checkedAt: Instant;
}

/** A service as it is kept. The id stays while the service is there, over all inventories. */
export interface Service extends FoundService {
  readonly id: number;
  readonly serverId: number;
  readonly serverName: string;
}

/** Most that are kept of one server; of more, those that are in the best state are left out. */
export const MAX_SERVICES = 1_000;

const MAX_LABEL_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 200;

/**
 * The services of a host according to its inventory. `known` are the previously known ones: if the host could not
 * list a kind this time, they stay, with an unknown state. All others that are not found are removed.
 */
export function servicesOf(
  inventory: Inventory,
  known: readonly FoundService[] = [],
): readonly FoundService[] {
  const { at, containers, failedUnits, containerEngine } = inventory;
  const found = [
    ...(failedUnits?.map((unit) => ofUnit(unit, at)) ?? stillThere('unit', known)),
    ...(containers?.map((container) => ofContainer(container, at)) ??
      // without any engine there are no containers to ask about
      (containerEngine === null ? [] : stillThere('container', known))),
  ];
  const each = new Map<string, FoundService>();
  for (const service of found) if (!each.has(identityOf(service))) each.set(identityOf(service), service);
  return [...each.values()].sort(worstFirst).slice(0, MAX_SERVICES);
}

/** Tells the services of one server apart. */
export const identityOf = ({ kind, label }: Pick<FoundService, 'kind' | 'label'>): string =>
  `${kind} ${label}`;

const worstFirst = (a: FoundService, b: FoundService): number =>
  SERVICE_STATES.indexOf(a.state) - SERVICE_STATES.indexOf(b.state);

function stillThere(kind: ServiceKind, known: readonly FoundService[]): FoundService[] {
  const what = kind === 'unit' ? 'units of systemd' : 'containers';
  const message = `The host did not report its ${what} at the last check.`;
  return known
    .filter((service) => service.kind === kind)
    .map((service) => ({ ...service, state: 'unknown', message }));
}

const ofUnit = ({ name, description }: FailedUnit, checkedAt: Instant): FoundService => ({
  kind: 'unit',
  label: oneLine(name, MAX_LABEL_LENGTH),
  state: 'failed',
  message: oneLine(description, MAX_MESSAGE_LENGTH) || 'The unit failed.',
  project: null,
  container: null,
  checkedAt,
});

const ofContainer = (container: ContainerFact, checkedAt: Instant): FoundService => ({
  kind: 'container',
  label: oneLine(container.name, MAX_LABEL_LENGTH),
  state: containerState(container),
  message: oneLine(container.status || container.state, MAX_MESSAGE_LENGTH),
  project: container.project,
  container: container.name,
  checkedAt,
});

/** The words of docker and podman for a container that does not run and has not failed. */
const AT_REST = new Set([
  'created',
  'configured',
  'initialized',
  'paused',
  'removing',
  'stopping',
  'exited',
  'stopped',
]);

/** Exit codes of a program that did its work, or was asked to end: SIGINT and SIGTERM (128 + 2, 128 + 15). */
const ENDED_WELL = new Set(['0', '130', '143']);

export function containerState({ state, status }: Pick<ContainerFact, 'state' | 'status'>): ServiceState {
  if (state === 'running') return status.includes('(unhealthy)') ? 'failed' : 'ok';
  // An engine that keeps restarting a container reports this state only between restarts.
  if (state === 'restarting' || state === 'dead') return 'failed';
  if (!AT_REST.has(state)) return 'unknown';
  const exitCode = /^Exited \((\d+)\)/i.exec(status)?.[1];
  return exitCode === undefined || ENDED_WELL.has(exitCode) ? 'stopped' : 'failed';
}
