import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseCidr } from '../../domain/access/client-address.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { type EventFilter, eventFilter } from '../../domain/events/event-filter.ts';
import { webhookSecret } from '../../domain/events/webhook.ts';
import { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import { addressesOf } from '../outbound/storage/sql/mysql/address-list.ts';
import { SecretValue } from './secret-value.ts';

/** The fault of a value, as the rest of a sentence that starts with the variable's name. Never contains a secret. */
export class BadValue extends Error {}

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const MAX_ENTRIES = 100;

/** Long values are cut, so that a fault stays one line. */
const quote = (raw: string): string => JSON.stringify(raw.length > 60 ? `${raw.slice(0, 57)}...` : raw);

export const wholeNumber =
  (least: number, most: number) =>
  (raw: string): number => {
    const value = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new BadValue(`${quote(raw)} is not a whole number from ${least} to ${most}`);
  };

export const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (raw: string): T => {
    const found = choices.find((choice) => choice === raw.toLowerCase());
    if (found !== undefined) return found;
    throw new BadValue(`${quote(raw)} is not one of ${choices.join(', ')}`);
  };

export function yesOrNo(raw: string): boolean {
  const value = raw.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  if (['0', 'false', 'no', 'off'].includes(value)) return false;
  throw new BadValue(`${quote(raw)} is neither 1 nor 0`);
}

/** An absolute path; a relative one is taken from the directory that the program was started in. */
export const directory = (raw: string): string => resolve(raw);

export function listenAddress(raw: string): string {
  if (isIP(raw) !== 0 || HOST_NAME.test(raw)) return raw;
  throw new BadValue(`${quote(raw)} is neither an IP address nor a host name`);
}

/** Scheme, host and port: an origin in browsers' terms. */
export function origin(raw: string): string {
  const url = parseUrl(raw);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new BadValue(`${quote(raw)} is not an address that starts with http:// or https://`);
  }
  if (url.username !== '' || url.password !== '')
    throw new BadValue('the address holds a user name or password');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new BadValue(`${quote(raw)} has more than scheme, host and port`);
  }
  return url.origin;
}

export const addressRanges = listOf((entry) => {
  const range = parseCidr(entry);
  if (range !== null) return range.text;
  throw new BadValue(`${quote(entry)} is not an address range with no host bits set`);
});

/** Lower-case host names or addresses, each with a port if only that port is valid. */
export const hostNames = listOf((entry) => {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  const known = name.startsWith('[') ? isIP(bare) === 6 : HOST_NAME.test(bare);
  if (known && (port === undefined || Number(port) <= 65_535)) return entry.toLowerCase();
  throw new BadValue(`${quote(entry)} is not a host name, with or without a port`);
});

function listOf(parse: (entry: string) => string): (raw: string) => readonly string[] {
  return (raw) => {
    const entries = raw
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    if (entries.length > MAX_ENTRIES) throw new BadValue(`it has more than ${MAX_ENTRIES} entries`);
    return [...new Set(entries.map(parse))];
  };
}

/**
 * The address of a MySQL or MariaDB database. It may contain a password: an error names the wrong part, never its
 * content.
 */
export function databaseUrl(raw: string): SecretValue {
  for (const address of addressesOf(raw)) assertDatabaseAddress(address);
  return new SecretValue(raw);
}

function assertDatabaseAddress(raw: string): void {
  const url = parseUrl(raw);
  if (url === null) throw new BadValue('the value is not a database address');
  if (!['mysql:', 'mariadb:'].includes(url.protocol)) {
    throw new BadValue('the value does not start with mysql:// or mariadb://');
  }
  if (url.hostname === '') throw new BadValue('the database address has no host');
  if (!/^\/[^/]+$/.test(url.pathname))
    throw new BadValue('the database address does not end in one database name');
}

/** One key of 32 bytes, or several with commas or blanks between them: the first encrypts, all of them open. */
export function masterKeys(raw: string): readonly MasterKey[] {
  const keys = MasterKey.parseList(raw);
  if (keys !== null) return keys;
  throw new BadValue('the value is not 32 bytes in base64 or hexadecimal (or several comma-separated keys)');
}

const MIN_PASSPHRASE_LENGTH = 12;

/** Impossible to guess even with the file and years of time. */
export function backupPassphrase(raw: string): SecretValue {
  if (raw.length >= MIN_PASSPHRASE_LENGTH) return new SecretValue(raw);
  throw new BadValue(`the value has fewer than ${MIN_PASSPHRASE_LENGTH} characters`);
}

/** A secret that is sent in a header as one word. */
export function metricsSecret(raw: string): SecretValue {
  if (/^[\x21-\x7e]{1,512}$/.test(raw)) return new SecretValue(raw);
  throw new BadValue('the value is not one word of at most 512 printable ASCII characters');
}

export const webhookSecretValue = (raw: string): SecretValue =>
  refusedAs(() => new SecretValue(webhookSecret(raw)));

export const eventTypes = (raw: string): EventFilter['events'] =>
  refusedAs(() => eventFilter({ events: raw.split(',').map((each) => each.trim()) }).events);

/** The domain's refusals, which never contain a secret, as errors of a variable. */
export function refusedAs<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDomainError(error)) throw error;
    throw new BadValue(error.problems.map(({ message }) => message.replace(/\.$/, '')).join('; '));
  }
}

function parseUrl(raw: string): URL | null {
  return URL.canParse(raw) ? new URL(raw) : null;
}
