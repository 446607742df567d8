import { isPath } from '../compose/compose-names.ts';
import { isIpLiteral } from '../events/outbound-address.ts';
import type { Inventory } from './inventory.ts';
import type { Server } from './server.ts';

/** A directory of a host that a backup could include. */
export interface DataPath {
  readonly path: string;
  /** `null`: not measured in time. */
  readonly bytes: number | null;
  /** The Compose project that it belongs to. */
  readonly project: string | null;
}

/** Where a host keeps its configuration and data. */
const COMMON = ['/etc', '/home', '/root', '/srv', '/opt', '/var/www', '/usr/local'];
/** Often large and easy to reinstall, or, as root's home, full of keys: offered, but not selected. */
const NOT_SELECTED = new Set(['/root', '/opt', '/usr/local']);
const MAX_PROJECTS = 40;

/** An account other than root can only read its own home directory. */
export const readsAll = ({ address }: Pick<Server, 'address'>): boolean =>
  address.sshUsername === 'root' || address.become === 'sudo' || address.connection === 'local';

/** Directories to look for on a host: the usual ones, and those of its Compose projects. */
export function pathsToLookFor(
  server: Pick<Server, 'address'>,
  inventory: Pick<Inventory, 'containers'> | null,
): readonly Pick<DataPath, 'path' | 'project'>[] {
  const common = readsAll(server) ? COMMON : [`/home/${server.address.sshUsername}`];
  const projects = new Map<string, string>();
  for (const { project, path } of inventory?.containers ?? [])
    if (project !== null && path !== null && isPath(path)) projects.set(path, project);
  return [
    ...common.map((path) => ({ path, project: projects.get(path) ?? null })),
    ...[...projects]
      .filter(([path]) => !common.includes(path))
      .slice(0, MAX_PROJECTS)
      .map(([path, project]) => ({ path, project })),
  ];
}

/** Those to back up unless a user says otherwise; a directory below a selected one is part of it already. */
export function selectedPaths(found: readonly DataPath[]): readonly string[] {
  const wanted = found.filter(({ path, project }) => project !== null || !NOT_SELECTED.has(path));
  return wanted
    .filter(({ path }) => !wanted.some((other) => path.startsWith(`${other.path}/`)))
    .map(({ path }) => path);
}

/** As a server may be called; without dots, which separate the labels of a DNS name. */
const LABEL = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const firstLabel = (hostname: string): string => hostname.split('.')[0] ?? '';

/** A name for a server that was given none: the first label of a DNS name, or the IP address. */
export function nameFromAddress(hostname: string): string {
  if (isIpLiteral(hostname)) return hostname.replaceAll(':', '-');
  const label = firstLabel(hostname);
  // A bad address is reported at its own field.
  return LABEL.test(label) ? label : 'server';
}

/** A better name than an IP address, once the host has said what it is called; `null`: there is none. */
export function nameFromHost(server: Pick<Server, 'name' | 'address'>, hostname: string): string | null {
  const { name, address } = server;
  if (!isIpLiteral(address.hostname) || name !== nameFromAddress(address.hostname)) return null;
  const label = firstLabel(hostname);
  return LABEL.test(label) && label !== 'localhost' ? label : null;
}
