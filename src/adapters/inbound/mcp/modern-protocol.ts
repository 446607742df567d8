import type { Capability } from '../../../domain/access/scope.ts';
import { readMissing } from './legacy-protocol.ts';
import { isObject, type Params, RpcError, type RpcRequest } from './message.ts';
import type { Methods } from './method.ts';
import {
  CLIENT_CAPABILITIES_KEY,
  isModern,
  LIST_TTL,
  MODERN_VERSIONS,
  PROTOCOL_VERSION_KEY,
  RPC,
  SERVER_INFO_KEY,
} from './protocol.ts';
import type { ServerCard } from './server-card.ts';

/**
 * The headers that repeat parts of a modern request's body, for routing without reading bodies. Only HTTP has them:
 * other transports pass `null`.
 */
export interface ProtocolHeaders {
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** Whether a request is of the modern protocol: its body or its header says so. */
export function isModernRequest(request: RpcRequest, headers: ProtocolHeaders | null): boolean {
  const claimed = metaOf(request.params)?.[PROTOCOL_VERSION_KEY];
  // `initialize` is legacy, unless the request says otherwise.
  if (request.method === 'initialize') return typeof claimed === 'string' && isModern(claimed);
  return claimed !== undefined || (headers?.version !== undefined && isModern(headers.version));
}

/** The protocol from 2026-07-28 on. Returns the result as JSON; throws `RpcError`. */
export async function answerModern<C extends { readonly capabilities: ReadonlySet<Capability> }>(
  request: RpcRequest,
  headers: ProtocolHeaders | null,
  caller: C,
  methods: Methods<C>,
  card: ServerCard,
): Promise<string> {
  const clientCapabilities = checkEnvelope(request, headers);
  if (!caller.capabilities.has('read')) throw readMissing();
  const info = `"${SERVER_INFO_KEY}":${card.info}`;
  if (request.method === 'server/discover')
    return `{${card.modern},${CACHED},"resultType":"complete","_meta":{${info}}}`;
  const known = methods.get(request.method);
  if (!known) throw new RpcError(RPC.methodNotFound, 'Method not found', { status: 404 });
  const asked = { params: request.params, caller, clientCapabilities };
  const { members, meta, resultType = 'complete' } = await known.answer(asked);
  const cached = known.cached ? `,${CACHED}` : '';
  return `{${members}${cached},"resultType":"${resultType}","_meta":{${meta === undefined ? info : `${info},${meta}`}}}`;
}

const CACHED = `"ttlMs":${LIST_TTL},"cacheScope":"private"`;

/** The body has version and capabilities; the headers, if any, repeat them. Returns the client's capabilities. */
function checkEnvelope({ method, params }: RpcRequest, headers: ProtocolHeaders | null): Params {
  const meta = metaOf(params) ?? {};
  const claimed = meta[PROTOCOL_VERSION_KEY];
  if (typeof claimed !== 'string') throw malformed(PROTOCOL_VERSION_KEY, 'a protocol version');
  const capabilities = meta[CLIENT_CAPABILITIES_KEY];
  if (!isObject(capabilities)) throw malformed(CLIENT_CAPABILITIES_KEY, 'an object');
  if (headers?.version !== undefined) requireEqual('MCP-Protocol-Version', headers.version, claimed);
  if (headers?.method !== undefined) requireEqual('Mcp-Method', headers.method, method);
  if (!MODERN_VERSIONS.includes(claimed)) {
    throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
      status: 400,
      data: { supported: MODERN_VERSIONS, requested: claimed.slice(0, 100) },
    });
  }
  if (headers === null) return capabilities;
  if (headers.version === undefined) throw headerMismatch('MCP-Protocol-Version', 'is missing');
  if (headers.method === undefined) throw headerMismatch('Mcp-Method', 'is missing');
  const name = params[NAMES[method] ?? ''];
  if (typeof name !== 'string') return capabilities;
  if (headers.name === undefined) throw headerMismatch('Mcp-Name', 'is missing');
  requireEqual('Mcp-Name', decodedHeader('Mcp-Name', headers.name), name);
  return capabilities;
}

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** A value that a header cannot hold as it is travels as base64 of its UTF-8. */
export function decodedHeader(name: string, header: string): string {
  if (!header.startsWith('=?base64?') || !header.endsWith('?=')) return header;
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) throw headerMismatch(name, 'is not well encoded');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

export function requireEqual(header: string, sent: string, body: string): void {
  if (sent !== body) throw headerMismatch(header, 'differs from the body');
}

export const headerMismatch = (header: string, how: string): RpcError =>
  new RpcError(RPC.headerMismatch, `The header ${header} ${how}`, { status: 400, data: { header } });

const malformed = (key: string, expected: string): RpcError =>
  new RpcError(RPC.invalidParams, `params._meta["${key}"] must be ${expected}`, {
    status: 400,
    data: { key },
  });

/** The capabilities that a modern request states, unchecked. */
export function statedCapabilities(params: Params): Params | null {
  const stated = metaOf(params)?.[CLIENT_CAPABILITIES_KEY];
  return isObject(stated) ? stated : null;
}

function metaOf(params: Params): Params | undefined {
  const meta = params['_meta'];
  return isObject(meta) ? meta : undefined;
}
