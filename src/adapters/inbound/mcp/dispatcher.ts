import type { Operation } from '../api/operation.ts';
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
import { answerModern, isModernRequest, type ProtocolHeaders } from './modern-protocol.ts';
import { RPC } from './protocol.ts';
import { type ServerCard, serverCard } from './server-card.ts';
import type { Caller } from './tool-call.ts';
import { Toolboxes } from './tool-list.ts';

/**
 * Answers MCP messages of both protocol generations, each independently. Everything that can be prepared is prepared
 * once.
 */
export class McpDispatcher {
  readonly #toolboxes: Toolboxes;
  readonly #card: ServerCard;

  /** `tellsChanges`: whether a client can be notified that its list of tools has changed. */
  constructor(options: {
    readonly version: string;
    readonly catalogue: readonly Operation[];
    readonly tellsChanges: boolean;
  }) {
    this.#toolboxes = new Toolboxes(options.catalogue);
    this.#card = serverCard(options.version, options.tellsChanges);
  }

  /** `value`: any JSON value. Never throws for errors of the sender. */
  async answer(value: unknown, headers: ProtocolHeaders | null, caller: Caller): Promise<Reply> {
    const message = readMessage(value);
    if (message.kind === 'request') return this.#answerRequest(message, headers, caller);
    if (message.kind !== 'invalid') return ACCEPTED;
    const reason = `Invalid request: ${message.reason}`;
    return errorReply(message.id, new RpcError(RPC.invalidRequest, reason, { status: 400 }));
  }

  async #answerRequest(request: RpcRequest, headers: ProtocolHeaders | null, caller: Caller): Promise<Reply> {
    const toolbox = this.#toolboxes.of(caller.capabilities);
    try {
      const result = isModernRequest(request, headers)
        ? await answerModern(request, headers, caller, toolbox, this.#card)
        : await answerLegacy(request, headers?.version, caller, toolbox, this.#card);
      return resultReply(request.id, result);
    } catch (error) {
      if (error instanceof RpcError) return errorReply(request.id, error);
      throw error;
    }
  }
}
