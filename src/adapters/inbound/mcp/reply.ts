import type { RequestId } from './message.ts';

/** An HTTP status and a JSON body; without a body there is nothing to say. */
export interface Reply {
  readonly status: number;
  readonly body: string | null;
}

/** A refusal in JSON-RPC's terms. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: object | undefined;
  /** The HTTP status; 200 for what concerns the call and not the request that carries it. */
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
