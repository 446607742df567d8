import { isInAnyCidr, normaliseAddress } from '../access/client-address.ts';

/**
 * Special-purpose addresses of the IANA registries (RFC 6890 and its successors), and tunnels, which may lead to any
 * address.
 */
const NOT_GLOBAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The only allocated range of IPv6; everything else is special or unallocated. */
const GLOBAL_V6 = ['2000::/3'];
const NOT_GLOBAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Ranges that an operator may allow: their own networks. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];
/**
 * Cloud metadata services, which hold a machine's credentials; some are in ranges that may be allowed, or look like
 * public addresses.
 */
const METADATA = [
  '169.254.169.254/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
];

/**
 * Why the service must not connect to this address, as the end of a sentence that starts with it; `null` if it may.
 * `allowPrivate` allows loopback and private networks; link-local and metadata addresses stay blocked.
 */
export function outboundFault(address: string, options: { readonly allowPrivate: boolean }): string | null {
  const known = normaliseAddress(address);
  if (known === null) return 'is not an IP address';
  if (isInAnyCidr(known, METADATA)) return 'is the address of a cloud metadata service';
  const isMapped = address.includes(':') && !known.includes(':');
  if (isMapped) return 'is an IPv4 address in the form of IPv6';
  if (options.allowPrivate && isInAnyCidr(known, PRIVATE)) return null;
  const isGlobal = known.includes(':')
    ? isInAnyCidr(known, GLOBAL_V6) && !isInAnyCidr(known, NOT_GLOBAL_V6)
    : !isInAnyCidr(known, NOT_GLOBAL_V4);
  return isGlobal ? null : 'is not a public address';
}

/** Whether a host is written as an address; `URL` has brought octal, decimal and shortened forms into the usual one. */
export const isIpLiteral = (host: string): boolean => normaliseAddress(host) !== null;
