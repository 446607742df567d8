import * as z from 'zod';
import { type PublishedPort, publishedPortText } from '../../../../domain/fleet/published-port.ts';
import { conciseEntry, type Fields, fitting, listResult, pick, short } from '../tool-form.ts';
import { inventorySchema } from '../views/inventory-view.ts';

const LISTS = ['disks', 'updates', 'containers'] as const;
export const SECTIONS = [...LISTS, 'changes', 'packages'] as const;
type Section = (typeof LISTS)[number];

/** A host as the tool shows it. */
export const shownInventory = inventorySchema.extend({
  fullest_disk: z.looseObject({}),
  disks: z.array(z.looseObject({})),
  updates: z.array(z.looseObject({})),
  containers: z.array(z.looseObject({})),
  changes: z.array(z.looseObject({})),
  system: z.string(),
  packages: z.array(z.looseObject({})),
});

/** Fields whose types the tool names. */
export const SHOWN = [
  'server_id',
  'name',
  'at',
  'os_pretty',
  'updates_count',
  'security_updates_count',
  'containers_count',
  'fullest_disk',
  'disks',
  'updates',
  'containers',
  'changes',
  'system',
  'packages',
];

interface Request {
  readonly server_id?: number | undefined;
  readonly section?: (typeof SECTIONS)[number] | undefined;
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  readonly detail?: 'concise' | 'full' | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset: number;
}

const ABOUT = ['server_id', 'name', 'status', 'at'];
const SYSTEM = ['os_pretty', 'kernel', 'arch', 'hardware', 'cpu_cores'];
const MEMORY = ['memory_total_bytes', 'memory_used_bytes', 'packages_count'];

/** Characters of each list of one host; what does not fit is behind `section`. */
const LIST_CHARACTERS = 2_600;
/** Entries of each list, of a host among others. */
const FEW_ENTRIES = 10;
/** Of an update, the newest. */
const FEW_CVES = 5;
const MAX_STATUS = 80;

/** The fleet in counts, a host with the start of each list, or one section of either. */
export function inventoryResult(body: Fields, input: Request): object {
  const { section } = input;
  if (section === 'changes') return changesOf(body, input);
  if (section === 'packages' || 'packages' in body) return packagesOf(body, input);
  const isSearch = input.package !== undefined || input.version !== undefined;
  const [host] = body['hosts'] as readonly Fields[];
  if (input.server_id !== undefined && section && host) return sectionOf(host, section, input);
  const row =
    input.server_id !== undefined
      ? one
      : section || isSearch
        ? (each: Fields): Fields => among(each, section ? [section] : ['updates', 'containers'])
        : counts;
  return listResult(body, 'hosts', input, { always: ['server_id', 'name'], row });
}

/** Changes of hosts, newest first in each, and the jobs of that time. */
function changesOf(body: Fields, { limit: asked }: Request): object {
  const { changes, jobs, jobs_total, total, limit, offset } = body as Fields & {
    changes: readonly Fields[];
    jobs: readonly Fields[];
  } & Record<'total' | 'limit' | 'offset', number>;
  const rows = changes.map(conciseEntry);
  const shown = asked === undefined ? fitting(rows, 3 * LIST_CHARACTERS) : rows;
  const byHost = new Map<unknown, { name: unknown; changes: Fields[] }>();
  for (const { id: _id, server_id, server_name: name, ...change } of shown) {
    const host = byHost.get(server_id) ?? { name, changes: [] };
    host.changes.push(change);
    byHost.set(server_id, host);
  }
  const next = offset + shown.length;
  return {
    hosts: Array.from(byHost, ([server_id, host]) => ({ server_id, ...host })),
    total,
    limit,
    offset,
    ...(next < total && shown.length > 0 ? { next_offset: next } : {}),
    ...(jobs.length === 0 ? {} : { jobs: fitting(jobs.map(shownJob), LIST_CHARACTERS), jobs_total }),
  };
}

const shownJob = ({ id, server_name: server, job_type, status, dry_run, requested_by, created_at }: Fields) =>
  conciseEntry({ id, server, job_type, status, ...(dry_run ? { dry_run } : {}), requested_by, created_at });

/** Without it an empty list reads as good news. */
const NO_DATA =
  'Drover has no security data about this CVE, so servers may be affected. An administrator can import data: drover cve import.';

/** Installed packages by server; of a CVE, those that it affects. */
function packagesOf(body: Fields, { limit: asked }: Request): object {
  const { packages, total, limit, offset, known } = body as Fields & { packages: readonly Fields[] } & Record<
      'total' | 'limit' | 'offset',
      number
    >;
  const rows = packages.map(conciseEntry);
  const shown = asked === undefined ? fitting(rows, 3 * LIST_CHARACTERS) : rows;
  const byHost = new Map<unknown, { name: unknown; system: unknown; packages: Fields[] }>();
  for (const { server_id, server_name: name, system, name: package_, version, fixed_in } of shown) {
    const host = byHost.get(server_id) ?? { name, system, packages: [] };
    host.packages.push({
      name: package_,
      version,
      ...(known === undefined ? {} : { fixed_in: fixed_in ?? null }),
    });
    byHost.set(server_id, host);
  }
  const next = offset + shown.length;
  return {
    hosts: Array.from(byHost, ([server_id, host]) => ({ server_id, ...host })),
    total,
    limit,
    offset,
    ...(next < total && shown.length > 0 ? { next_offset: next } : {}),
    ...(known === undefined ? {} : { known }),
    ...(known === false ? { note: NO_DATA } : {}),
  };
}

const listOf = (host: Fields, section: Section): readonly Fields[] =>
  ((host[section] as readonly Fields[] | null) ?? []).map(ENTRIES[section]);

const ENTRIES: Readonly<Record<Section, (entry: Fields) => Fields>> = {
  disks: (disk) => ({ ...disk, used_percent: percentOf(disk) }),
  updates: ({ name, from, to, security, held, cves }) => ({
    name,
    from,
    to,
    ...(security ? { security } : {}),
    ...(held ? { held } : {}),
    ...(Array.isArray(cves) ? { cves: cves.slice(0, FEW_CVES) } : {}),
  }),
  containers: ({ name, image, state, status, project, ports, update }) => ({
    name,
    image,
    state,
    status: short(String(status), MAX_STATUS),
    project,
    ...(Array.isArray(ports) && ports.length > 0 ? { ports: ports.map(portText) } : {}),
    ...(update ? { update } : {}),
  }),
};

/** `8080 → 80/tcp`. */
const portText = (port: Fields): string =>
  publishedPortText({
    address: port['address'] as string | null,
    hostPort: Number(port['host_port']),
    containerPort: Number(port['container_port']),
    protocol: port['protocol'] as PublishedPort['protocol'],
    count: Number(port['count']),
  });

const percentOf = ({ total_bytes: total, used_bytes: used }: Fields): number =>
  Number(total) > 0 ? Math.round((100 * Number(used)) / Number(total)) : 0;

/** Security updates first: they are what a cut must not hide. */
const securityFirst = (updates: readonly Fields[]): readonly Fields[] =>
  updates.toSorted((a, b) => Number(b['security'] ?? 0) - Number(a['security'] ?? 0));

const COUNTS = ['updates_count', 'security_updates_count', 'containers_count'];

const countsOf = (host: Fields): Fields => pick(host, COUNTS);

function one(host: Fields): Fields {
  const few = (list: readonly Fields[]): readonly unknown[] =>
    fitting(list.map(conciseEntry), LIST_CHARACTERS);
  return {
    ...pick(host, [...ABOUT, ...SYSTEM, ...MEMORY]),
    ...countsOf(host),
    disks: few(listOf(host, 'disks')),
    updates: few(securityFirst(listOf(host, 'updates'))),
    containers: few(listOf(host, 'containers')),
  };
}

function counts(host: Fields): Fields {
  const [fullest] = listOf(host, 'disks').toSorted(
    (a, b) => Number(b['used_percent']) - Number(a['used_percent']),
  );
  return {
    ...pick(host, [...ABOUT, 'os_pretty', 'kernel']),
    ...countsOf(host),
    fullest_disk: fullest ? pick(fullest, ['mount', 'used_percent']) : null,
  };
}

function among(host: Fields, sections: readonly Section[]): Fields {
  const lists = sections.map((section) => [section, listOf(host, section).slice(0, FEW_ENTRIES)]);
  return { ...pick(host, ABOUT), ...countsOf(host), ...Object.fromEntries(lists) };
}

function sectionOf(host: Fields, section: Section, { limit, offset }: Request): object {
  const whole = section === 'updates' ? securityFirst(listOf(host, section)) : listOf(host, section);
  const window = whole.slice(offset, limit === undefined ? undefined : offset + limit).map(conciseEntry);
  const entries = limit === undefined ? fitting(window, 3 * LIST_CHARACTERS) : window;
  const next = offset + entries.length;
  return {
    hosts: [conciseEntry({ ...pick(host, ABOUT), ...countsOf(host), [section]: entries })],
    total: whole.length,
    limit: limit ?? entries.length,
    offset,
    ...(next < whole.length && entries.length > 0 ? { next_offset: next } : {}),
  };
}
