import { DomainError } from '../../../domain/base/errors.ts';

/** How browsers write an origin: a scheme, two slashes, a host. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\/[^,]+$/i;

/**
 * Lets in pages of this service only: an http or https Origin must have the host and port of the request or of the
 * service's public address. Programs send no Origin, and editors one with a scheme of their own: both come in. Throws
 * `origin_not_allowed`.
 */
export function checkOrigin(
  origin: string | undefined,
  host: string | undefined,
  publicUrl: string | null,
): void {
  if (origin === undefined) return;
  const url = SCHEME.test(origin) ? parse(origin) : null;
  if (url && url.protocol !== 'http:' && url.protocol !== 'https:') return;
  // Both hosts are read under the scheme of the origin, so that its usual port may be written or left out.
  if (url && (url.host === parse(`${url.protocol}//${host ?? ''}`)?.host || url.host === hostOf(publicUrl)))
    return;
  throw new DomainError(
    'origin_not_allowed',
    'Pages of this origin may not call the service; an operator can name the address under which it is reached in SERVICE_PUBLIC_URL.',
  );
}

const hostOf = (address: string | null): string | undefined =>
  address === null ? undefined : parse(address)?.host;

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
