export type RequestId = string | number;
export type Params = { readonly [key: string]: unknown };

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export type Message =
  | RpcRequest
  | { readonly kind: 'notification'; readonly method: string }
  /** An answer to a question that we never asked. */
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly reason: string };

/**
 * Classifies a JSON value as JSON-RPC 2.0, with MCP's restrictions: ids are text or integers, parameters an object.
 */
export function readMessage(value: unknown): Message {
  if (Array.isArray(value)) return invalid(null, 'batches are not taken; send one message a request');
  if (!isObject(value)) return invalid(null, 'a message is an object');
  const { jsonrpc, id, method, params } = value;
  const known = isRequestId(id) ? id : null;
  if (jsonrpc !== '2.0') return invalid(known, 'jsonrpc must be "2.0"');
  if (method === undefined) {
    const answer = 'result' in value || 'error' in value;
    return answer ? { kind: 'response' } : invalid(known, 'method is missing');
  }
  if (typeof method !== 'string') return invalid(known, 'method must be a string');
  if (params !== undefined && !isObject(params)) return invalid(known, 'params must be an object');
  if (id === undefined) return { kind: 'notification', method };
  if (known === null) return invalid(null, 'id must be a string or a whole number');
  return { kind: 'request', id: known, method, params: params ?? {} };
}

export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRequestId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isSafeInteger(id);

const invalid = (id: RequestId | null, reason: string): Message => ({ kind: 'invalid', id, reason });

/** An HTTP status and a JSON body; without a body there is nothing to say. */
export interface Reply {
  readonly status: number;
  readonly body: string | null;
}

/** A refusal in JSON-RPC's terms. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: object | undefined;
  /** The HTTP status; 200 for errors of the call rather than the request. */
  readonly status: number;

  constructor(code: number, message: string, options: { data?: object; status?: number } = {}) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.status = options.status ?? 200;
  }
}

/** The result is JSON already: lists are written once and for all, and tool results are in it twice. */
export const resultReply = (id: RequestId, result: string): Reply => ({
  status: 200,
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
});

export const errorReply = (id: RequestId | null, error: RpcError): Reply => ({
  status: error.status,
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: error.code, message: error.message, ...(error.data ? { data: error.data } : {}) },
  }),
});

export const ACCEPTED: Reply = { status: 202, body: null };
