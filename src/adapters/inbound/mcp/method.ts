import type { Params } from './message.ts';

/** A request for one method, past the checks of its protocol version. */
export interface MethodRequest<C> {
  readonly params: Params;
  readonly caller: C;
  /** What this request's client can be asked for; `null` before 2026-07-28, when requests did not say it. */
  readonly clientCapabilities: Params | null;
}

/** Written as JSON already, since lists are written only once and tool results contain everything twice. */
export interface MethodAnswer {
  /** Members of the result, without the braces around them. */
  readonly members: string;
  /** Members of its `_meta`, without braces. */
  readonly meta?: string;
  /** From 2026-07-28 on; default: complete. */
  readonly resultType?: 'complete' | 'input_required';
}

/** Answers one method of the protocol. Throws `RpcError`. */
export interface Method<C> {
  /** Clients may keep the result for `LIST_TTL`. */
  readonly cached?: true;
  readonly answer: (request: MethodRequest<C>) => MethodAnswer | Promise<MethodAnswer>;
}

/** What a server offers, by the method's name. */
export type Methods<C> = ReadonlyMap<string, Method<C>>;
