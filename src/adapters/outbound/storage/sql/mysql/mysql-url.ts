import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Knex } from 'knex';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { addressesOf } from './address-list.ts';

const EXAMPLE = 'mysql://drover:PASSWORD@db.example.org:3306/drover?ssl=verify';
const CONNECT_MS = 10_000;

interface Tls {
  readonly rejectUnauthorized: boolean;
  readonly verifyIdentity: boolean;
  readonly ca?: string;
}

/** One node of a cluster, or the only server. */
export interface MysqlHost {
  readonly host: string;
  readonly port: number;
}

export type MysqlOptions = Knex.MySql2ConnectionConfig & {
  /** In the order in which they are tried; at least one. */
  readonly hosts: readonly MysqlHost[];
};

const MAX_HOSTS = 16;
/**
 * Reads an address with one host, or several separated by commas: the nodes of a cluster, each with its port unless
 * it is the default. Throws `invalid_input`.
 */
export function mysqlOptions(text: string): MysqlOptions {
  const addresses = addressesOf(text);
  if (addresses.length > MAX_HOSTS) throw bad(`it names more than ${MAX_HOSTS} hosts`);
  const options = addresses.map(optionsOfOne);
  const [first] = options;
  if (!first) throw bad('it names no host');
  return { ...first, hosts: options.map(({ host, port }) => ({ host, port })) };
}

/**
 * Reads `mysql://user:password@host:port/database`; `mariadb://` is equivalent. TLS: `?ssl=verify` (the server's
 * certificate is checked, against the file in `ssl-ca` if given) or `?ssl=no-verify`. Throws `invalid_input` with the
 * fault; the address itself is never part of the message, since it contains a password.
 */
function optionsOfOne(text: string): Knex.MySql2ConnectionConfig & MysqlHost {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['mysql:', 'mariadb:'].includes(url.protocol)) throw bad('it is not a mysql:// address');
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (url.hostname === '') throw bad('it names no host');
  if (!database || database.includes('/')) throw bad('it must end with the name of one database');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const ssl = tls(url.searchParams);
  // The driver compares a certificate with names alone; for an address it takes one for "localhost".
  if (ssl?.verifyIdentity && isIP(host))
    throw bad('to check the certificate the host has to be a name, not an address');
  return {
    host,
    port: url.port === '' ? 3306 : Number(url.port),
    user: user ?? '',
    password: password ?? '',
    database,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: CONNECT_MS,
    enableKeepAlive: true,
    supportBigNumbers: true,
    decimalNumbers: true,
    ...(ssl ? { ssl } : {}),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw bad('a "%" in it is not followed by two hexadecimal digits; write "%" itself as %25');
  }
}

function tls(parameters: URLSearchParams): Tls | undefined {
  for (const name of parameters.keys()) {
    if (name !== 'ssl' && name !== 'ssl-ca')
      throw bad(`it has the unknown option "${name}"; there are ssl and ssl-ca`);
  }
  const mode = parameters.get('ssl');
  const caFile = parameters.get('ssl-ca');
  if (mode === null && caFile === null) return undefined;
  if (mode === 'no-verify' && caFile === null) return { rejectUnauthorized: false, verifyIdentity: false };
  if (mode !== null && mode !== 'verify')
    throw bad('ssl is one of verify and no-verify (the latter without ssl-ca)');
  return {
    rejectUnauthorized: true,
    verifyIdentity: true,
    ...(caFile === null ? {} : { ca: authority(caFile) }),
  };
}

function authority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw bad(`the file that ssl-ca names (${path}) cannot be read`);
  }
}

const bad = (why: string): DomainError =>
  new DomainError('invalid_input', `The database address is not usable: ${why}. Example: ${EXAMPLE}`);
