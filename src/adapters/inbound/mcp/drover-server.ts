import type { Operation } from '../api/operation.ts';
import { McpDispatcher } from './dispatcher.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { type Params, RpcError } from './message.ts';
import type { Methods } from './method.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import { RPC } from './protocol.ts';
import { type Caller, callTool } from './tool-call.ts';
import { Toolboxes } from './tool-list.ts';

/**
 * Drover's tools and prompts as an MCP server. `tellsChanges`: whether a client can be notified that its list of tools
 * has changed.
 */
export function droverServer(options: {
  readonly version: string;
  readonly catalogue: readonly Operation[];
  readonly tellsChanges: boolean;
}): McpDispatcher<Caller> {
  const { version, catalogue, tellsChanges } = options;
  // The list of tools changes only with the token, and over HTTP there is no channel to notify of that. A modern
  // client would have to request such a channel, which this server never opens.
  const capabilities = { tools: {}, prompts: {} };
  const description = {
    info: { name: 'drover', title: 'Drover', version },
    instructions: INSTRUCTIONS,
    capabilities: {
      legacy: tellsChanges ? { ...capabilities, tools: { listChanged: true } } : capabilities,
      modern: capabilities,
    },
  };
  return new McpDispatcher(description, droverMethods(new Toolboxes(catalogue)));
}

const droverMethods = (toolboxes: Toolboxes): Methods<Caller> =>
  new Map([
    [
      'tools/list',
      {
        cached: true,
        answer: ({ params, caller }) => {
          refuseCursor(params);
          return { members: `"tools":${toolboxes.of(caller.capabilities).json}` };
        },
      },
    ],
    [
      'tools/call',
      {
        answer: ({ params, caller, clientCapabilities }) =>
          callTool(toolboxes.of(caller.capabilities), caller, params, clientCapabilities),
      },
    ],
    [
      'prompts/list',
      {
        cached: true,
        answer: ({ params }) => {
          refuseCursor(params);
          return { members: `"prompts":${PROMPT_LIST}` };
        },
      },
    ],
    ['prompts/get', { answer: ({ params }) => ({ members: getPrompt(params) }) }],
  ]);

/** Lists come in one piece, so that no cursor can be ours. */
function refuseCursor({ cursor }: Params): void {
  if (cursor !== undefined)
    throw new RpcError(RPC.invalidParams, 'params.cursor is not one that was given out here');
}
