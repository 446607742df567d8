import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closed } from './real-provider.ts';

type Claims = Record<string, unknown>;

/** How the next token differs from a right one. */
export interface Forgery {
  readonly claims?: Claims;
  readonly header?: Claims;
  /** Signs with a key that the provider does not list, under the id of one that it lists. */
  readonly foreignKey?: boolean;
  readonly unsigned?: boolean;
  /** The token endpoint answers this. */
  readonly reply?: { readonly status: number; readonly body: Claims };
}

export interface ForgingProvider {
  readonly issuer: string;
  forgery: Forgery;
  /** The configuration that it publishes. */
  metadata: Claims;
  /** Replaces its keys. */
  rotate(): void;
  /** What was asked for, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

const makeKey = (id: string) => ({ id, key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(header: Claims, claims: Claims, key: KeyObject): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A provider that trades any code for a token, and lies in it as it is asked to. */
export async function forgingProvider(clientId: string): Promise<ForgingProvider> {
  let key = makeKey('key-1');
  const foreign = makeKey('foreign');
  let made = 1;
  const asked: string[] = [];
  const json = (res: ServerResponse, body: unknown, status = 200): void => {
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(body));
  };
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://localhost').pathname;
    asked.push(path);
    if (path === '/.well-known/openid-configuration') return json(res, provider.metadata);
    if (path === '/jwks') {
      const jwk = createPublicKey(key.key).export({ format: 'jwk' });
      return json(res, { keys: [{ ...jwk, kid: key.id, alg: 'ES256', use: 'sig' }] });
    }
    if (path === '/token') {
      const { forgery } = provider;
      if (forgery.reply) return json(res, forgery.reply.body, forgery.reply.status);
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: clientId, sub: 'ann', iat: now, exp: now + 60, ...forgery.claims };
      const header = { alg: 'ES256', kid: key.id, ...forgery.header };
      const token = forgery.unsigned
        ? `${part({ ...header, alg: 'none' })}.${part(claims)}.`
        : signed(header, claims, forgery.foreignKey ? foreign.key : key.key);
      return json(res, { access_token: 'at', token_type: 'Bearer', id_token: token });
    }
    return json(res, {}, 404);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: ForgingProvider = {
    issuer,
    forgery: {},
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    },
    rotate: () => {
      made += 1;
      key = makeKey(`key-${made}`);
    },
    asked,
    close: () => closed(server),
  };
  return provider;
}
