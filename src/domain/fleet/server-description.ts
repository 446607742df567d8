import { type InputProblem, InvalidInput } from '../base/errors.ts';
import { withoutEnd } from '../base/without-end.ts';
import { CHECK_FORM, MAX_CHECKS, parseCheck } from '../compose/update-check.ts';
import { deniedPatterns } from '../files/denied-names.ts';
import { jailDirectory } from '../files/jail-directory.ts';
import {
  type Connection,
  type FeatureFlags,
  type NewServer,
  NO_FEATURES,
  type ServerChange,
} from './server.ts';

const MAX_DIRECTORIES = 20;
const LONGEST = 500;
/** Anyone who could use one of these could have every file of the host read as a Compose file. */
const TOO_WIDE = new Set(['/', '/boot', '/dev', '/etc', '/proc', '/run', '/sys', '/tmp', '/usr', '/var']);

/**
 * Directories of compose projects as an operator gives them: absolute, in their shortest form, each once. Throws
 * `InvalidInput`.
 */
export function composeDirectories(raw: readonly string[]): readonly string[] {
  const directories = raw.map((each) => (each.length > 1 ? withoutEnd(each, '/') : each));
  const problems = directories.flatMap((each, index) => {
    const message = faultOf(each);
    return message === null ? [] : [{ path: `/compose_dirs/${index}`, message }];
  });
  if (directories.length > MAX_DIRECTORIES) {
    problems.push({ path: '/compose_dirs', message: `At most ${MAX_DIRECTORIES} directories.` });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return [...new Set(directories)].toSorted();
}

/** Checks of package updates, as `parseCheck` reads them. Throws `InvalidInput`. */
function checksOf(raw: readonly string[]): readonly string[] {
  const problems = raw.flatMap((each, index) =>
    parseCheck(each) === null ? [{ path: `/update_checks/${index}`, message: CHECK_FORM }] : [],
  );
  if (raw.length > MAX_CHECKS) {
    problems.push({ path: '/update_checks', message: `At most ${MAX_CHECKS} checks.` });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return [...new Set(raw)];
}

function faultOf(directory: string): string | null {
  if (!directory.startsWith('/')) return 'Enter an absolute path, such as /srv/stacks.';
  if (directory.length > LONGEST || /[\p{Cc}\u2028\u2029]/u.test(directory)) {
    return `A path has at most ${LONGEST} characters, none of them a control character.`;
  }
  const parts = directory.split('/').slice(1);
  if (directory !== '/' && parts.some((part) => part === '' || part === '.' || part === '..')) {
    return 'Enter the path without ".", ".." and double slashes.';
  }
  return TOO_WIDE.has(directory) ? 'Enter the directory of the project, or the one directly above it.' : null;
}

/** What an operator enters for a server. */
export interface ServerDescription {
  readonly name: string;
  readonly connection: Connection;
  readonly hostname?: string;
  readonly sshPort?: number;
  readonly sshUsername?: string;
  readonly sshKeyId?: number | null;
  readonly jumpServerId?: number | null;
  readonly become?: 'none' | 'sudo';
  readonly tags?: readonly string[];
  readonly features?: Partial<FeatureFlags>;
  readonly jail?: string | null;
  readonly jailDeny?: readonly string[];
  readonly composeDirs?: readonly string[];
  readonly updateChecks?: readonly string[];
  readonly notes?: string;
}

export type DescriptionChange = Partial<Omit<ServerDescription, 'connection' | 'features'>>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
/** A DNS name or an IPv4 or IPv6 address; never with a leading dash, so that it cannot pass for an option. */
const HOSTNAME = /^(?!-)[A-Za-z0-9._:%-]{1,253}$/;
/** Addresses of IPv6 have two colons or more. */
const HOST_AND_PORT = /^[^:]*:[^:]*$/;
const USERNAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/;
export const TAG = /^[a-z0-9][a-z0-9._:-]{0,39}$/;
export const TAG_RULE =
  'A tag has 1 to 40 lower-case letters, digits, ".", "_", ":" and "-". It starts with a letter or digit.';
const MAX_TAGS = 20;
const MAX_NOTES = 4_000;

/** A new server by its description; throws `InvalidInput` with every fault named. */
export function describeServer(description: ServerDescription): NewServer {
  const problems = faultsOf(description);
  if (description.connection === 'ssh' && !description.hostname) {
    problems.push({ path: '/hostname', message: 'A server over SSH needs a host name or address.' });
  }
  const jail = checked(() => jailOf(description.jail) ?? null, problems);
  const jailDeny = checked(() => deniedPatterns(description.jailDeny ?? []), problems);
  const composeDirs = checked(() => composeDirectories(description.composeDirs ?? []), problems);
  const updateChecks = checked(() => checksOf(description.updateChecks ?? []), problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    name: description.name,
    address: {
      connection: description.connection,
      hostname: description.hostname ?? 'localhost',
      sshPort: description.sshPort ?? 22,
      sshUsername: description.sshUsername ?? 'root',
      sshKeyId: description.sshKeyId ?? null,
      hostKey: null,
      become: description.become ?? 'none',
      jumpServerId: description.jumpServerId ?? null,
    },
    tags: uniqueTags(description.tags ?? []),
    features: { ...NO_FEATURES, ...description.features },
    jail: jail ?? null,
    jailDeny: jailDeny ?? [],
    composeDirs: composeDirs ?? [],
    updateChecks: updateChecks ?? [],
    notes: description.notes ?? '',
  };
}

/** The change that a partial description asks for; throws `InvalidInput` with every fault named. */
export function describeChange(change: DescriptionChange): ServerChange {
  const problems = faultsOf(change);
  const jail = checked(() => jailOf(change.jail), problems);
  const jailDeny = checked(() => change.jailDeny && deniedPatterns(change.jailDeny), problems);
  const composeDirs = checked(() => change.composeDirs && composeDirectories(change.composeDirs), problems);
  const updateChecks = checked(() => change.updateChecks && checksOf(change.updateChecks), problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const { hostname, sshPort, sshUsername, sshKeyId, jumpServerId, become } = change;
  const address = given({ hostname, sshPort, sshUsername, sshKeyId, jumpServerId, become });
  return {
    ...given({ name: change.name, jail, jailDeny, composeDirs, updateChecks, notes: change.notes }),
    ...given({ tags: change.tags ? uniqueTags(change.tags) : undefined }),
    // Another address may be another machine: its host key has to be confirmed again.
    address: hostname !== undefined || sshPort !== undefined ? { ...address, hostKey: null } : address,
  };
}

function faultsOf(description: DescriptionChange): InputProblem[] {
  const { name, hostname, sshPort, sshUsername, tags } = description;
  const problems: InputProblem[] = [];
  if (name !== undefined && !NAME.test(name)) {
    problems.push({
      path: '/name',
      message: 'A name has 1 to 63 letters, digits, ".", "_" and "-". It starts with a letter or digit.',
    });
  }
  if (hostname !== undefined && !HOSTNAME.test(hostname)) {
    problems.push({ path: '/hostname', message: 'Enter a DNS name or an IP address.' });
  } else if (hostname !== undefined && HOST_AND_PORT.test(hostname)) {
    problems.push({
      path: '/hostname',
      message: 'Enter the port separately: it is not a part of the address.',
    });
  }
  if (sshPort !== undefined && (!Number.isInteger(sshPort) || sshPort < 1 || sshPort > 65_535)) {
    problems.push({ path: '/ssh_port', message: 'A port is a whole number from 1 to 65535.' });
  }
  if (sshUsername !== undefined && !USERNAME.test(sshUsername)) {
    problems.push({ path: '/ssh_username', message: 'Enter the name of a Linux account.' });
  }
  if ((description.notes?.length ?? 0) > MAX_NOTES) {
    problems.push({ path: '/notes', message: `Notes have at most ${MAX_NOTES} characters.` });
  }
  if (tags && tags.length > MAX_TAGS) problems.push({ path: '/tags', message: `At most ${MAX_TAGS} tags.` });
  for (const [index, tag] of (tags ?? []).entries()) {
    if (!TAG.test(tag)) {
      problems.push({
        path: `/tags/${index}`,
        message: TAG_RULE,
      });
    }
  }
  return problems;
}

const jailOf = (raw: string | null | undefined): string | null | undefined =>
  typeof raw === 'string' ? jailDirectory(raw) : raw;

/** Its problems are added to the others. */
function checked<T>(read: () => T, problems: InputProblem[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

const uniqueTags = (tags: readonly string[]): readonly string[] => [...new Set(tags)].toSorted();

/** The properties that are given at all. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
