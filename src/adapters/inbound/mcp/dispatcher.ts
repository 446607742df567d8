import type { Capability } from '../../../domain/access/scope.ts';
import { answerLegacy } from './legacy-protocol.ts';
import {
  ACCEPTED,
  errorReply,
  type Reply,
  RpcError,
  type RpcRequest,
  readMessage,
  resultReply,
} from './message.ts';
import type { Methods } from './method.ts';
import { answerModern, isModernRequest, type ProtocolHeaders } from './modern-protocol.ts';
import { RPC } from './protocol.ts';
import { type ServerCard, type ServerDescription, serverCard } from './server-card.ts';

/**
 * Answers MCP messages of both protocol generations, each independently. `methods` is what the server offers: the
 * protocol itself is the same for Drover's tools and for those of the conformance suite.
 */
export class McpDispatcher<C extends { readonly capabilities: ReadonlySet<Capability> }> {
  readonly #methods: Methods<C>;
  readonly #card: ServerCard;

  constructor(description: ServerDescription, methods: Methods<C>) {
    this.#methods = methods;
    this.#card = serverCard(description);
  }

  /** `value`: any JSON value. Never throws for errors of the sender. */
  async answer(value: unknown, headers: ProtocolHeaders | null, caller: C): Promise<Reply> {
    const message = readMessage(value);
    if (message.kind === 'request') return this.#answerRequest(message, headers, caller);
    if (message.kind !== 'invalid') return ACCEPTED;
    const reason = `Invalid request: ${message.reason}`;
    return errorReply(message.id, new RpcError(RPC.invalidRequest, reason, { status: 400 }));
  }

  async #answerRequest(request: RpcRequest, headers: ProtocolHeaders | null, caller: C): Promise<Reply> {
    try {
      const result = isModernRequest(request, headers)
        ? await answerModern(request, headers, caller, this.#methods, this.#card)
        : await answerLegacy(request, headers?.version, caller, this.#methods, this.#card);
      return resultReply(request.id, result);
    } catch (error) {
      if (error instanceof RpcError) return errorReply(request.id, error);
      throw error;
    }
  }
}
