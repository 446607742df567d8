import { InvalidInput } from '../../base/errors.ts';
import { MAX_PACKAGE_TEXT } from '../installed-package.ts';
import { type Advisory, CVE_ID, type Vulnerability } from '../vulnerability.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A format in which a distribution publishes its security data as one JSON object. */
export interface SecurityFeed {
  /** Whether the object is in this format. */
  readonly reads: (document: Fields) => boolean;
  /** Releases that Drover does not know are left out. Throws `InvalidInput`. */
  readonly advisories: (document: Fields) => Iterable<Advisory>;
}

const ADVISORY = /^[A-Za-z0-9][\w.:+/-]{1,99}$/;
/** Of one advisory. */
const MAX_ROWS = 20_000;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const isCve = (value: unknown): value is string => typeof value === 'string' && CVE_ID.test(value);

/** Throws `InvalidInput`. */
export function advisoryOf(
  id: string,
  vulnerabilities: readonly Omit<Vulnerability, 'advisory'>[],
  place: string,
): Advisory {
  if (!ADVISORY.test(id)) throw feedFault(place, 'This is not the id of an advisory.');
  assertFew(vulnerabilities.length, place);
  return { id, vulnerabilities: vulnerabilities.map((each) => ({ ...each, advisory: id })) };
}

/** Before that many entries are made of one advisory. Throws `InvalidInput`. */
export function assertFew(rows: number, place: string): void {
  if (rows > MAX_ROWS) throw feedFault(place, `The record names more than ${MAX_ROWS} versions.`);
}

/** A name or version. Throws `InvalidInput`. */
export function shortText(value: unknown, place: string): string {
  if (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_PACKAGE_TEXT &&
    !/[\p{C}\s]/u.test(value)
  )
    return value;
  throw feedFault(
    place,
    `A name or version is text without spaces, of at most ${MAX_PACKAGE_TEXT} characters.`,
  );
}

export const feedFault = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: path.slice(0, 200), message }]);
