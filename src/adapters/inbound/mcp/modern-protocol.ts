import { readMissing, refuseCursor } from './legacy-protocol.ts';
import { isObject, type Params, RpcError, type RpcRequest } from './message.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
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
import { type Caller, callTool } from './tool-call.ts';
import type { Toolbox } from './tool-list.ts';

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
export async function answerModern(
  request: RpcRequest,
  headers: ProtocolHeaders | null,
  caller: Caller,
  toolbox: Toolbox,
  card: ServerCard,
): Promise<string> {
  checkEnvelope(request, headers);
  if (!caller.capabilities.has('read')) throw readMissing();
  const done = '"resultType":"complete"';
  const complete = `${done},"_meta":{"${SERVER_INFO_KEY}":${card.info}}`;
  const cached = `"ttlMs":${LIST_TTL},"cacheScope":"private",${complete}`;
  switch (request.method) {
    case 'server/discover':
      return `{${card.modern},${cached}}`;
    case 'tools/list':
      refuseCursor(request.params['cursor']);
      return `{"tools":${toolbox.json},${cached}}`;
    case 'tools/call':
      return `{${await callTool(toolbox, caller, request.params, card.info)},${done}}`;
    case 'prompts/list':
      refuseCursor(request.params['cursor']);
      return `{"prompts":${PROMPT_LIST},${cached}}`;
    case 'prompts/get':
      return `{${getPrompt(request.params)},${complete}}`;
    default:
      throw new RpcError(RPC.methodNotFound, 'Method not found', { status: 404 });
  }
}

/** The body has version and capabilities; the headers, if any, repeat them. */
function checkEnvelope({ method, params }: RpcRequest, headers: ProtocolHeaders | null): void {
  const meta = metaOf(params) ?? {};
  const claimed = meta[PROTOCOL_VERSION_KEY];
  if (typeof claimed !== 'string') throw malformed(PROTOCOL_VERSION_KEY, 'a protocol version');
  if (!isObject(meta[CLIENT_CAPABILITIES_KEY])) throw malformed(CLIENT_CAPABILITIES_KEY, 'an object');
  if (headers?.version !== undefined) requireEqual('MCP-Protocol-Version', headers.version, claimed);
  if (headers?.method !== undefined) requireEqual('Mcp-Method', headers.method, method);
  if (!MODERN_VERSIONS.includes(claimed)) {
    throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
      status: 400,
      data: { supported: MODERN_VERSIONS, requested: claimed.slice(0, 100) },
    });
  }
  if (headers === null) return;
  if (headers.version === undefined) throw mismatch('MCP-Protocol-Version', 'is missing');
  if (headers.method === undefined) throw mismatch('Mcp-Method', 'is missing');
  const { name } = params;
  if (!NAMED.includes(method) || typeof name !== 'string') return;
  if (headers.name === undefined) throw mismatch('Mcp-Name', 'is missing');
  requireEqual('Mcp-Name', decodedName(headers.name), name);
}

/** Methods whose `name` a header repeats. */
const NAMED = ['tools/call', 'prompts/get'];

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** A name that a header cannot hold as it is travels as base64 of its UTF-8. */
function decodedName(header: string): string {
  if (!header.startsWith('=?base64?') || !header.endsWith('?=')) return header;
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) throw mismatch('Mcp-Name', 'is not well encoded');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function requireEqual(header: string, sent: string, body: string): void {
  if (sent !== body) throw mismatch(header, 'differs from the body');
}

const mismatch = (header: string, how: string): RpcError =>
  new RpcError(RPC.headerMismatch, `The header ${header} ${how}`, { status: 400, data: { header } });

const malformed = (key: string, expected: string): RpcError =>
  new RpcError(RPC.invalidParams, `params._meta["${key}"] must be ${expected}`, {
    status: 400,
    data: { key },
  });

function metaOf(params: Params): Params | undefined {
  const meta = params['_meta'];
  return isObject(meta) ? meta : undefined;
}
