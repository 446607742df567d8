import { InvalidInput } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import { OS_RELEASES } from './os-releases.ts';

/** `VERSION_ID` or its start to the last day of security updates, by `ID` of os-release. */
export type SupportEnds = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** How long before the end of security updates an alert opens. */
export const SUPPORT_ENDING_MS = 90 * DAY;

export const SUPPORT_STATES = ['ended', 'ending'] as const;
/** `ending`: within 90 days. */
export type SupportState = (typeof SUPPORT_STATES)[number];

/** Updated continuously: they have no releases that end. */
const ROLLING: readonly string[] = ['arch', 'archarm', 'opensuse-tumbleweed', 'gentoo', 'void'];
export const isRolling = (osId: string | null): boolean => osId !== null && ROLLING.includes(osId);

/** Systems with the releases and the updates of another one. */
const SAME_RELEASES: ReadonlyMap<string, string> = new Map([['raspbian', 'debian']]);

/** Dates that were imported replace those of the release with the same id and version. */
export const mergedEnds = (imported: SupportEnds): SupportEnds =>
  Object.fromEntries(Object.entries(OS_RELEASES).map(([id, { ends }]) => [id, { ...ends, ...imported[id] }]));

/** The last moment at which a release gets security updates; `null`: not known, or a rolling release. */
export function supportEnd(
  { osId, osVersion }: { readonly osId: string | null; readonly osVersion: string | null },
  ends: SupportEnds,
): Instant | null {
  if (osId === null || osVersion === null) return null;
  const id = SAME_RELEASES.get(osId) ?? osId;
  const releases = Object.hasOwn(OS_RELEASES, id) ? OS_RELEASES[id] : undefined;
  if (releases === undefined) return null;
  const version = osVersion.split('.', releases.parts).join('.');
  const known = ends[id] ?? {};
  const day = Object.hasOwn(known, version) ? known[version] : undefined;
  return day === undefined ? null : Date.parse(day) + DAY - 1;
}

/** The times of the end that a state stands for. */
export const supportSpan = (
  state: SupportState,
  now: Instant,
): { readonly from?: Instant; readonly before: Instant } =>
  state === 'ended' ? { before: now } : { from: now, before: now + SUPPORT_ENDING_MS };

/** `null`: supported for longer, or not known. */
export function supportState(endsAt: Instant | null, now: Instant): SupportState | null {
  if (endsAt === null || endsAt >= now + SUPPORT_ENDING_MS) return null;
  return endsAt < now ? 'ended' : 'ending';
}

/** Ids of os-release by the name of the product at endoflife.date. */
const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['debian', 'debian'],
  ['ubuntu', 'ubuntu'],
  ['fedora', 'fedora'],
  ['rhel', 'rhel'],
  ['almalinux', 'almalinux'],
  ['rocky-linux', 'rocky'],
  ['centos-stream', 'centos'],
  ['opensuse', 'opensuse-leap'],
  ['sles', 'sles'],
  ['alpine-linux', 'alpine'],
]);
export const PRODUCT_NAMES = [...PRODUCTS.keys()];

const MAX_PRODUCTS = 2_000;
const MAX_RELEASES = 200;
const VERSION = /^\d{1,4}(?:\.\d{1,4}){0,2}$/;

/**
 * Dates from a file of endoflife.date: the reply to /api/v1/products/NAME or /api/v1/products/full, or with `product` one to
 * /api/NAME.json. Other products are left out. Throws `InvalidInput`.
 */
export function readSupportEnds(text: string, product: string | undefined): SupportEnds {
  const json = parsed(text);
  const found: Record<string, Record<string, string>> = {};
  for (const [name, releases] of productsOf(json, product)) {
    const id = PRODUCTS.get(name);
    if (id !== undefined) found[id] = endsOf(name, releases);
  }
  if (Object.keys(found).length > 0) return found;
  throw fault(
    '/file',
    `The file has no releases of a known product; the products are ${PRODUCT_NAMES.join(', ')}.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fault('/file', 'The file is not valid JSON.');
  }
}

function productsOf(json: unknown, product: string | undefined): readonly (readonly [string, unknown])[] {
  if (Array.isArray(json)) {
    if (product !== undefined && PRODUCT_NAMES.includes(product)) return [[product, json]];
    throw fault('/product', `Name the product of this file: one of ${PRODUCT_NAMES.join(', ')}.`);
  }
  const { result } = isObject(json) ? json : {};
  const products = Array.isArray(result) ? result : [result];
  if (products.length > MAX_PRODUCTS) throw fault('/file', `The file has over ${MAX_PRODUCTS} products.`);
  return products.filter(isObject).map(({ name, releases }) => [String(name), releases] as const);
}

function endsOf(name: string, releases: unknown): Record<string, string> {
  if (!Array.isArray(releases) || releases.length > MAX_RELEASES)
    throw fault('/file', `The releases of ${name} are not a list of at most ${MAX_RELEASES}.`);
  const ends: Record<string, string> = {};
  for (const release of releases.filter(isObject)) {
    const version = release['name'] ?? release['cycle'];
    const end = endOf(name, release);
    if (typeof version !== 'string' || !VERSION.test(version))
      throw fault('/file', `A release of ${name} has no valid version.`);
    // Without an end so far: `false`, or nothing.
    if (typeof end !== 'string') continue;
    if (!isDay(end)) throw fault('/file', `The end of ${name} ${version} is not a date (YYYY-MM-DD).`);
    ends[version] = end;
  }
  return ends;
}

/** Debian's extended phase, LTS, is free, and needs no change on the host; that of others is sold. */
const endOf = (name: string, release: Fields): unknown => {
  const regular = release['eolFrom'] ?? release['eol'];
  const extended = release['eoesFrom'] ?? release['extendedSupport'];
  return name === 'debian' && typeof extended === 'string' ? extended : regular;
};

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fault = (path: string, message: string): InvalidInput => new InvalidInput([{ path, message }]);
