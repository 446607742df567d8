import type { CustomFetch } from 'openid-client';
import type { ProviderClient } from '../../../application/ports/access/identity-providers.ts';

/** Requests under the rules for outbound HTTP: addresses, time, size, no redirects. */
export interface OutboundHttp {
  /** Throws an `Error` whose message says why there was no answer. */
  exchange(request: {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
    readonly allowPrivate: boolean;
    readonly maxBytes: number;
  }): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Buffer;
  }>;
}

/** Metadata, keys and tokens have a few KiB. */
const MAX_BYTES = 512 * 1024;

/** There was no answer; the message says why. */
export class Unreachable extends Error {}

export const policedFetch =
  (http: OutboundHttp, { allowPrivate }: Pick<ProviderClient, 'allowPrivate'>): CustomFetch =>
  async (url, { method, headers, body }) => {
    if (body !== undefined && body !== null && !(body instanceof URLSearchParams) && typeof body !== 'string')
      throw new TypeError('only forms are sent');
    const sent = body === undefined || body === null ? undefined : body.toString();
    const answer = await http
      .exchange({
        method: method === 'POST' ? 'POST' : 'GET',
        url,
        headers,
        body: sent,
        allowPrivate,
        maxBytes: MAX_BYTES,
      })
      .catch((error: unknown) => {
        throw new Unreachable((error as Error).message, { cause: error });
      });
    const replyHeaders = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const each of [value ?? []].flat()) replyHeaders.append(name, each);
    const hasBody = answer.status >= 200 && ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? new Uint8Array(answer.body) : null, {
      status: answer.status,
      headers: replyHeaders,
    });
  };
