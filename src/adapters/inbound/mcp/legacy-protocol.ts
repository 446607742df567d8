import type { Capability } from '../../../domain/access/scope.ts';
import { RpcError, type RpcRequest } from './message.ts';
import type { Methods } from './method.ts';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, RPC } from './protocol.ts';
import type { ServerCard } from './server-card.ts';

/** The protocol up to 2025-11-25. Returns the result as JSON; throws `RpcError`. */
export async function answerLegacy<C extends { readonly capabilities: ReadonlySet<Capability> }>(
  request: RpcRequest,
  versionHeader: string | undefined,
  caller: C,
  methods: Methods<C>,
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
  if (method === 'initialize')
    return JSON.stringify({ protocolVersion: agreedVersion(params['protocolVersion']), ...card.legacy });
  if (method === 'ping') return '{}';
  const known = methods.get(method);
  if (!known) throw new RpcError(RPC.methodNotFound, 'Method not found');
  const { members, meta } = await known.answer({ params, caller, clientCapabilities: null });
  return meta === undefined ? `{${members}}` : `{${members},"_meta":{${meta}}}`;
}

function agreedVersion(requested: unknown): string {
  if (typeof requested !== 'string') {
    throw new RpcError(RPC.invalidParams, 'params.protocolVersion must be a string');
  }
  return LEGACY_VERSIONS.includes(requested) ? requested : LATEST_LEGACY_VERSION;
}

export const readMissing = (): RpcError =>
  new RpcError(RPC.forbidden, 'This token lacks the scope "read"; ask an operator for a token that has it.', {
    data: { code: 'read_scope_missing' },
  });
