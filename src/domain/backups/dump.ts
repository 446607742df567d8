import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';

export const DUMP_KINDS = ['postgres', 'mysql', 'sqlite', 'redis', 'mongodb'] as const;
export type DumpKind = (typeof DUMP_KINDS)[number];
/** A server of Redis reads its file only when it starts. */
export type RestorableKind = Exclude<DumpKind, 'redis'>;

/** Whose client creates the dump: the host's own, or one in a docker or podman container. */
export const DUMP_CLIENTS = ['host', 'docker', 'podman'] as const;
export type DumpClientPlace = (typeof DUMP_CLIENTS)[number];

/** A database that every backup of a source dumps into its snapshot. */
export interface Dump {
  readonly id: number;
  readonly sourceId: number;
  /** Unique within the source; the snapshot's file is named after it. */
  readonly name: string;
  readonly kind: DumpKind;
  readonly client: DumpClientPlace;
  /** The container that has the client; `null` for the host's own. */
  readonly container: string | null;
  /** For SQLite the absolute path of the file; `null`: all databases of the server. */
  readonly database: string | null;
  readonly user: string | null;
  /** A name, an address or the absolute path of a socket; `null`: the client's default for the local machine. */
  readonly host: string | null;
  readonly port: number | null;
  /** Whether a password is kept for it, encrypted. */
  readonly hasPassword: boolean;
  readonly createdAt: Instant;
}

export const dumpsOf = (source: { readonly id: number }, dumps: readonly Dump[]): readonly Dump[] =>
  dumps.filter(({ sourceId }) => sourceId === source.id);

export type NewDump = Omit<Dump, 'id'>;

/** Connection settings of the database. */
export type DumpConnection = Pick<
  Dump,
  'name' | 'kind' | 'client' | 'container' | 'database' | 'user' | 'host' | 'port'
> & { readonly password: string | null };

type DumpField = 'database' | 'user' | 'host' | 'port' | 'password';

interface DumpRule {
  readonly label: string;
  /** The extension of the snapshot's file name; it shows the kind. */
  readonly ending: string;
  readonly takes: readonly DumpField[];
  /** Whether one database has to be named. */
  readonly needsDatabase: boolean;
}

const NETWORK = ['user', 'host', 'port', 'password'] as const;

export const DUMP_RULES = {
  postgres: {
    label: 'PostgreSQL',
    ending: '.postgres.sql',
    takes: ['database', ...NETWORK],
    needsDatabase: false,
  },
  mysql: {
    label: 'MySQL or MariaDB',
    ending: '.mysql.sql',
    takes: ['database', ...NETWORK],
    needsDatabase: false,
  },
  sqlite: { label: 'SQLite', ending: '.sqlite', takes: ['database'], needsDatabase: true },
  redis: { label: 'Redis', ending: '.rdb', takes: NETWORK, needsDatabase: false },
  mongodb: {
    label: 'MongoDB',
    ending: '.mongodb.archive',
    takes: ['database', ...NETWORK],
    needsDatabase: false,
  },
} as const satisfies Record<DumpKind, DumpRule>;

/** Where a snapshot stores its dumps, without leading slash. On hosts with dumps, no backup copies this directory. */
export const DUMP_DIRECTORY = 'drover-dumps';

/** The path in the snapshot, without leading slash. */
export const dumpPath = ({ name, kind }: Pick<Dump, 'name' | 'kind'>): string =>
  `${DUMP_DIRECTORY}/${name}${DUMP_RULES[kind].ending}`;

/** The dump that a file in that directory is; `null` for any other. */
export function dumpOfFile(file: string): Pick<Dump, 'name' | 'kind'> | null {
  const kind = DUMP_KINDS.find((each) => file.endsWith(DUMP_RULES[each].ending));
  const name = kind && file.slice(0, -DUMP_RULES[kind].ending.length);
  return kind && name && NAME.test(name) ? { name, kind } : null;
}

/** Whether a dump can be restored into a different database. */
export const takesOtherDatabase = ({ kind, database }: Pick<Dump, 'kind' | 'database'>): boolean =>
  database !== null && (kind === 'postgres' || kind === 'mysql' || kind === 'sqlite');

export const MAX_DUMPS = 10;
const MAX_PASSWORD_BYTES = 1_024;
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const CONTAINER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const HOST =
  /^(?:[A-Za-z0-9_][A-Za-z0-9_.:-]{0,253}|::[0-9A-Fa-f:.]{0,40}|\/[^\u0000-\u001f\u007f,]{1,100})$/;
const CONTROL = /[\p{Cc}\p{Cs}]/u;

/** An operator's description of a dump. */
export interface DumpInput {
  readonly name: string;
  readonly kind: DumpKind;
  readonly client?: DumpClientPlace | undefined;
  readonly container?: string | null | undefined;
  readonly database?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly host?: string | null | undefined;
  readonly port?: number | null | undefined;
  readonly password?: string | null | undefined;
}

/** Throws `InvalidInput` with every fault named. */
export function describeDump(
  input: DumpInput & { readonly sourceId: number; readonly at: Instant },
): NewDump {
  const { name, kind, client = 'host', at, sourceId } = input;
  const { container = null, database = null, user = null, host = null, port = null, password = null } = input;
  const given = { database, user, host, port, password };
  const rule: DumpRule = DUMP_RULES[kind];
  const foreign = (Object.keys(given) as DumpField[]).filter(
    (field) => given[field] !== null && !rule.takes.includes(field),
  );
  const problems = [
    fault(
      '/name',
      !NAME.test(name),
      'Use 1 to 63 lower-case letters, digits, "_" and "-". Start with a letter or digit.',
    ),
    ...foreign.map((field) => ({
      path: `/${field}`,
      message: `A ${rule.label} dump does not support ${field}.`,
    })),
    fault(
      '/database',
      rule.needsDatabase && database === null,
      'Enter the absolute path of the database file.',
    ),
    fault(
      '/container',
      client === 'host' && container !== null,
      'Choose docker or podman for a client in a container.',
    ),
    fault(
      '/container',
      client !== 'host' && !CONTAINER.test(container ?? ''),
      'Enter the name of the container that has the client.',
    ),
    fault(
      '/host',
      host !== null && !HOST.test(host),
      'Enter a host name, an address, or the absolute path of a socket.',
    ),
    fault(
      '/port',
      port !== null && !(Number.isInteger(port) && port >= 1 && port <= 65_535),
      'A port is a number from 1 to 65535.',
    ),
    ...textProblems('/user', user, USER_OR_NAME),
    ...(kind === 'sqlite' ? pathProblems(database) : textProblems('/database', database, USER_OR_NAME)),
    fault(
      '/password',
      password !== null && passwordFault(password),
      'A password has 1 to 1,024 bytes and no control characters.',
    ),
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new InvalidInput(problems);
  const hasPassword = password !== null;
  return { sourceId, name, kind, client, container, database, user, host, port, hasPassword, createdAt: at };
}

/** A change of a dump. Absent fields stay; `null` clears one. */
export type DumpChange = Omit<Partial<DumpInput>, 'name' | 'kind'>;

/** The destination of a password. */
const PLACE = ['client', 'container', 'host', 'port'] as const;

/**
 * The dump after a change. Throws `empty_change`, and `invalid_input` that names every fault, also if its password
 * would go to a different destination than it was given for.
 */
export function changeDump(dump: Dump, change: DumpChange): Dump {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0)
    throw new DomainError('empty_change', 'Nothing to change: name at least one setting of the dump.');
  const { password } = change;
  const container = change.client === 'host' ? null : dump.container;
  const after = describeDump({ ...dump, container, password: null, ...given, at: dump.createdAt });
  if (dump.hasPassword && password === undefined && PLACE.some((field) => after[field] !== dump[field])) {
    throw new InvalidInput([
      { path: '/password', message: 'The connection has changed: enter the password again.' },
    ]);
  }
  return {
    ...after,
    id: dump.id,
    hasPassword: password === undefined ? dump.hasPassword : after.hasPassword,
  };
}

const fault = (path: string, isWrong: boolean, message: string): InputProblem | null =>
  isWrong ? { path, message } : null;

const passwordFault = (password: string): boolean =>
  password === '' || CONTROL.test(password) || new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES;

/** Clients take "=" and "://" for connection strings, which say more than a name. */
const USER_OR_NAME = /^(?![-/])(?!.*(?:=|:\/\/))[^\p{Cc}\p{Cs}]{1,64}$/u;

const textProblems = (path: string, text: string | null, allowed: RegExp): InputProblem[] =>
  text === null || allowed.test(text)
    ? []
    : [
        {
          path,
          message:
            'Use 1 to 64 characters, without "-" or "/" at the start, and without "=", "://" or control characters.',
        },
      ];

function pathProblems(path: string | null): InputProblem[] {
  if (path === null) return [];
  const isPlain =
    path.startsWith('/') &&
    path.length <= 1_000 &&
    !CONTROL.test(path) &&
    !path.split('/').some((part) => part === '.' || part === '..');
  return isPlain
    ? []
    : [
        {
          path: '/database',
          message: 'Enter an absolute path of at most 1,000 characters, without "." or ".." parts.',
        },
      ];
}

/** Where to restore a dump: a different database, or by default its original one. Throws `invalid_input`. */
export function restoreDatabase(dump: Pick<Dump, 'kind' | 'database'>, wanted: string | null): string | null {
  if (wanted === null || wanted === dump.database) return dump.database;
  const problems =
    dump.kind === 'sqlite' ? pathProblems(wanted) : textProblems('/database', wanted, USER_OR_NAME);
  const all = [
    ...problems,
    ...(takesOtherDatabase(dump)
      ? []
      : [{ path: '/database', message: 'This dump can only be restored to its original database.' }]),
  ];
  if (all.length > 0) throw new InvalidInput(all);
  return wanted;
}

/** Why Drover does not restore this dump, and how you do it; `null` if it does. */
export function restoreByHand({ kind, database }: Pick<Dump, 'kind' | 'database'>): string | null {
  if (kind === 'redis') {
    return 'Redis reads its data only when it starts: restore the file to a directory, stop Redis, put the file in place of its dump.rdb (with appendonly off) and start Redis.';
  }
  if (kind === 'postgres' && database === null) {
    return 'A dump of all databases of a PostgreSQL server also contains the roles and needs an empty server: restore the file to a directory and run psql -f FILE postgres there.';
  }
  return null;
}

/** What a failed restore leaves behind, and what to do then; `null`: the database is unchanged. */
export function afterFailedRestore({ kind }: Pick<Dump, 'kind'>): string | null {
  if (kind !== 'mysql' && kind !== 'mongodb') return null;
  const parts = kind === 'mysql' ? 'tables' : 'collections';
  return `${DUMP_RULES[kind].label} cannot undo a restore: ${parts} that come first in the dump may be restored, one of them may be incomplete, and the others are as before. Fix the cause and restore again, which replaces all ${parts} of the dump.`;
}

export const dumpNotFound = (name: string): DomainError =>
  new DomainError('dump_not_found', `The backup source has no dump named "${name}".`);

export const dumpTaken = (name: string): DomainError =>
  new DomainError('name_taken', `The backup source already has a dump named "${name}".`);

export const tooManyDumps = (): DomainError =>
  new InvalidInput([{ path: '/name', message: `A backup source can have at most ${MAX_DUMPS} dumps.` }]);
