import type { ContainerHealth } from '../compose/compose.ts';
import type { ContainerFact } from './inventory.ts';

/** An engine's sentence about a container, in its parts. */
export interface ContainerStatus {
  /** `running`, `paused`, `exited (1)`, … */
  readonly word: string;
  /** `null`: it has no health check, or does not run. */
  readonly health: ContainerHealth | null;
  /** `3 days`, or `2 hours ago` for one that stopped, in the engine's words. */
  readonly since: string | null;
}

const RUNNING = /^Up ([^()]+?)(?: ago)?(?: \(([^()]+)\))?$/i;
const STOPPED = /^[a-z]+(?: (\(\d+\)))?(?: ([^()]+ ago))?$/i;
const HEALTH: Readonly<Record<string, ContainerHealth>> = {
  healthy: 'healthy',
  unhealthy: 'unhealthy',
  starting: 'starting',
  'health: starting': 'starting',
};

/** `Up 3 days (healthy)`, `Exited (1) 2 hours ago`, `Created`: Docker and Podman say it alike. */
export function containerStatus({ state, status }: Pick<ContainerFact, 'state' | 'status'>): ContainerStatus {
  const [, since = null, remark = ''] = RUNNING.exec(status) ?? [];
  if (since !== null) return { word: state, health: HEALTH[remark.toLowerCase()] ?? null, since };
  const [, code, before = null] = STOPPED.exec(status) ?? [];
  return { word: code === undefined ? state : `${state} ${code}`, health: null, since: before };
}
