/** An IP address as bits: 32 or 128 of them. */
interface Bits {
  readonly value: bigint;
  readonly width: 32 | 128;
}

export interface Cidr {
  /** Normalised: `192.0.2.0/24`, `2001:db8::/32`; a single address has /32 or /128. */
  readonly text: string;
  readonly network: bigint;
  readonly prefix: number;
  readonly width: 32 | 128;
}

const V4_IN_V6 = 0xffffn << 32n;

/** Only IPv6 addresses have zones, and an empty one is none. */
const ZONE = /%[0-9a-z.:-]+$/i;

/** Parses an address; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is the IPv4 address. Zone ids are not part of it. */
function parseAddress(text: string): Bits | null {
  if (text.includes(':')) {
    const value = parseV6(text.replace(ZONE, ''));
    if (value === null) return null;
    return value >> 32n === V4_IN_V6 >> 32n
      ? { value: value & 0xffffffffn, width: 32 }
      : { value, width: 128 };
  }
  const value = parseV4(text);
  return value === null ? null : { value, width: 32 };
}

/** Four decimal parts without leading zeros; octal, hexadecimal and shortened forms are not addresses here. */
function parseV4(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseV6(text: string): bigint | null {
  const normal = /^[0-9a-f:.]+$/i.test(text) ? normalV6(text) : null;
  if (normal === null) return null;
  const [head = [], tail = []] = normal
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const missing = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...missing, ...tail].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** As RFC 5952 writes it, which is how `URL` reads and writes it. */
function normalV6(text: string): string | null {
  const url = `http://[${text}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}

/** Parses `address` or `address/prefix`; `null` if it is neither, or if bits behind the prefix are set. */
export function parseCidr(text: string): Cidr | null {
  const trimmed = text.trim();
  const slash = trimmed.indexOf('/');
  const addressText = slash < 0 ? trimmed : trimmed.slice(0, slash);
  if (addressText.includes('%')) return null;
  const address = parseAddress(addressText);
  if (!address) return null;
  let prefix: number = address.width;
  if (slash >= 0) {
    const prefixText = trimmed.slice(slash + 1);
    if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
    // A mapped address is written with the prefix of its IPv6 form.
    const mapped = address.width === 32 && addressText.includes(':');
    prefix = Number(prefixText) - (mapped ? 96 : 0);
    if (prefix < 0 || prefix > address.width) return null;
  }
  const hostBits = BigInt(address.width - prefix);
  if ((address.value >> hostBits) << hostBits !== address.value) return null;
  return {
    text: `${format(address)}/${prefix}`,
    network: address.value >> hostBits,
    prefix,
    width: address.width,
  };
}

const parsedRanges = new Map<string, Cidr | null>();
const MAX_PARSED_RANGES = 4_096;

/** Parsing costs more than comparing, and the same few ranges are asked for at every request. */
function rangeOf(text: string): Cidr | null {
  const known = parsedRanges.get(text);
  if (known !== undefined) return known;
  if (parsedRanges.size >= MAX_PARSED_RANGES) parsedRanges.clear();
  const range = parseCidr(text);
  parsedRanges.set(text, range);
  return range;
}

/** Whether an address lies in one of the ranges. Invalid addresses and ranges never match. */
export function isInAnyCidr(address: string, ranges: readonly string[]): boolean {
  const bits = parseAddress(address);
  if (!bits) return false;
  return ranges.some((text) => {
    const range = rangeOf(text);
    return (
      range !== null &&
      range.width === bits.width &&
      bits.value >> BigInt(bits.width - range.prefix) === range.network
    );
  });
}

const normalForms = new Map<string, string | null>();
const MAX_NORMAL_FORMS = 4_096;
/** No address is longer, even with its zone. */
const MAX_ADDRESS = 64;

/** An address in normal form, or `null` if it is not an address. */
export function normaliseAddress(text: string): string | null {
  // The same callers come again and again, each with many requests.
  const known = normalForms.get(text);
  if (known !== undefined) return known;
  const bits = parseAddress(text.trim());
  const normal = bits ? format(bits) : null;
  if (normalForms.size >= MAX_NORMAL_FORMS) normalForms.clear();
  if (text.length <= MAX_ADDRESS) normalForms.set(text, normal);
  return normal;
}

/** Who has one IPv6 address has 2^64 of them. */
const NETWORK_BITS = 64n;

/** The key for rate limits: an IPv4 address itself, an IPv6 address's /64. Takes the normal form. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const bits = parseAddress(address);
  if (!bits || bits.width === 32) return address;
  return `${format({ value: (bits.value >> NETWORK_BITS) << NETWORK_BITS, width: 128 })}/64`;
}

/**
 * Who is calling: the TCP peer, unless the peer is a trusted proxy. Then `X-Forwarded-For` is walked from its right end
 * past trusted addresses, since everything left of the first untrusted one is the caller's own claim. Where the walk
 * meets something that is no address, the last trusted address counts.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly string[],
): string {
  let current = normaliseAddress(peer) ?? peer;
  if (trusted.length === 0 || !forwardedFor) return current;
  const claimed = forwardedFor.split(',').toReversed();
  for (const entry of claimed) {
    if (!isInAnyCidr(current, trusted)) return current;
    const next = normaliseAddress(withoutPort(entry.trim()));
    if (next === null) return current;
    current = next;
  }
  return current;
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text);
  if (bracketed?.[1]) return bracketed[1];
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
}

function format(bits: Bits): string {
  if (bits.width === 32) {
    return [24n, 16n, 8n, 0n].map((shift) => String((bits.value >> shift) & 0xffn)).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, i) => (bits.value >> BigInt(112 - 16 * i)) & 0xffffn);
  const text = groups.map((group) => group.toString(16)).join(':');
  return normalV6(text) ?? text;
}
