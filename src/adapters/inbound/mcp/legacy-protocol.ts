import { RpcError, type RpcRequest } from './message.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, RPC } from './protocol.ts';
import type { ServerCard } from './server-card.ts';
import { type Caller, callTool } from './tool-call.ts';
import type { Toolbox } from './tool-list.ts';

/** The protocol up to 2025-11-25. Returns the result as JSON; throws `RpcError`. */
export async function answerLegacy(
  request: RpcRequest,
  versionHeader: string | undefined,
  caller: Caller,
  toolbox: Toolbox,
  card: ServerCard,
): Promise<string> {
  const { method, params } = request;
  // The header is only checked against the list: no session remembers an earlier agreement.
  if (method !== 'initialize' && versionHeader !== undefined && !LEGACY_VERSIONS.includes(versionHeader)) {
    throw new RpcError(
      RPC.badRequest,
      `Unsupported protocol version in MCP-Protocol-Version; supported are ${LEGACY_VERSIONS.join(', ')}`,
      { status: 400 },
    );
  }
  if (!caller.capabilities.has('read')) throw readMissing();
  switch (method) {
    case 'initialize':
      return JSON.stringify({ protocolVersion: agreedVersion(params['protocolVersion']), ...card.legacy });
    case 'ping':
      return '{}';
    case 'tools/list':
      refuseCursor(params['cursor']);
      return `{"tools":${toolbox.json}}`;
    case 'tools/call':
      return `{${await callTool(toolbox, caller, params)}}`;
    case 'prompts/list':
      refuseCursor(params['cursor']);
      return `{"prompts":${PROMPT_LIST}}`;
    case 'prompts/get':
      return `{${getPrompt(params)}}`;
    default:
      throw new RpcError(RPC.methodNotFound, 'Method not found');
  }
}

function agreedVersion(requested: unknown): string {
  if (typeof requested !== 'string') {
    throw new RpcError(RPC.invalidParams, 'params.protocolVersion must be a string');
  }
  return LEGACY_VERSIONS.includes(requested) ? requested : LATEST_LEGACY_VERSION;
}

/** The list comes in one piece, so that no cursor can be ours. */
export function refuseCursor(cursor: unknown): void {
  if (cursor !== undefined)
    throw new RpcError(RPC.invalidParams, 'params.cursor is not one that was given out here');
}

export const readMissing = (): RpcError =>
  new RpcError(RPC.forbidden, 'This token lacks the scope "read"; ask an operator for a token that has it.', {
    data: { code: 'read_scope_missing' },
  });
