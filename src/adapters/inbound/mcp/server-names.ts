import { DomainError, InvalidInput } from '../../../domain/base/errors.ts';
import { JOB_TYPES } from '../../../domain/jobs/job-types.ts';
import { isObject } from './message.ts';

/** A server, as `list_servers` has it. */
interface Named {
  readonly id: number;
  readonly name: string;
}

/** Servers whose name, host name or tags contain this. */
type Search = (text: string) => Promise<readonly Named[]>;

/** The id of the latest job of a server, of one type or any; `null`: there is none. */
type LatestJob = (serverId: number, type: string | undefined) => Promise<number | null>;

const MAX_NAME = 63;
const MAX_CANDIDATES = 10;

/** Whether an input may have a name in place of an id. */
export function hasNames(input: unknown): boolean {
  if (!isObject(input)) return false;
  const { server_id: server, server_ids: servers, job_id: job } = input;
  return typeof server === 'string' || typeof job === 'string' || Array.isArray(servers);
}

/**
 * The input with ids in place of server names. Only a whole name is one, whatever the case: a part of it could mean
 * another server. Throws `server_not_found`, and `InvalidInput` with the servers that come close.
 */
export async function withServerIds(input: unknown, search: Search): Promise<unknown> {
  if (!isObject(input)) return input;
  const { server_id: one, server_ids: several } = input;
  if (typeof one === 'string') return { ...input, server_id: await idOf(one, '/server_id', search) };
  if (!Array.isArray(several) || several.length > 50 || !several.some((each) => typeof each === 'string'))
    return input;
  const ids: unknown[] = [];
  for (const [at, each] of several.entries())
    ids.push(typeof each === 'string' ? await idOf(each, `/server_ids/${at}`, search) : each);
  return { ...input, server_ids: ids };
}

/**
 * The input with an id in place of a job's name: a server's name for its latest job, or that and a job type. Throws as
 * `withServerIds` does, and `job_not_found`.
 */
export async function withJobId(input: unknown, search: Search, latest: LatestJob): Promise<unknown> {
  if (!isObject(input) || typeof input['job_id'] !== 'string') return input;
  const [name = '', type, ...more] = input['job_id'].split(' ');
  if (more.length > 0 || (type !== undefined && !JOB_TYPES.some((each) => each === type))) return input;
  const server = await idOf(name, '/job_id', search);
  if (typeof server === 'string') return input;
  const id = await latest(server, type);
  if (id === null) {
    throw new DomainError('job_not_found', `${name} has no ${type === undefined ? '' : `${type} `}job yet.`);
  }
  return { ...input, job_id: id };
}

const TAKES_NAME: readonly (readonly [RegExp, string])[] = [
  [/^\/server_ids?(\/\d+)?$/, "an id as a number, or a server's whole name"],
  [/^\/job_id$/, "an id as a number, or a server's whole name, alone or with a job type"],
];

/** The faults of fields that also take names say so: otherwise an agent looks up an id that it does not need. */
export function mentionNames(error: DomainError): DomainError {
  if (!(error instanceof InvalidInput)) return error;
  const problems = error.problems.map(({ path, message }) => {
    const wanted = TAKES_NAME.find(([field]) => field.test(path))?.[1];
    return { path, message: wanted ? message.replace(/a whole number(, not a text)?/, wanted) : message };
  });
  return new InvalidInput(problems);
}

async function idOf(name: string, path: string, search: Search): Promise<number | string> {
  // Not a name, or rather an id: the input's own rules say so.
  if (/^\d*$/.test(name) || name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) return name;
  const found = await search(name);
  const wanted = name.toLowerCase();
  const same = found.filter((server) => server.name.toLowerCase() === wanted);
  const exact = same.find((server) => server.name === name) ?? (same.length === 1 ? same[0] : undefined);
  if (exact) return exact.id;
  const close = same.length > 0 ? same : found;
  if (close.length === 0)
    throw new DomainError('server_not_found', `There is no server named "${name}"; call list_servers.`);
  const shown = close.slice(0, MAX_CANDIDATES).map((server) => `${server.name} (${server.id})`);
  const more = close.length > MAX_CANDIDATES ? ', …' : '';
  throw new InvalidInput([
    { path, message: `Is not the whole name of one server; close are ${shown.join(', ')}${more}.` },
  ]);
}
