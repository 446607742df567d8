import type { Implementation, InitializeResult } from '@modelcontextprotocol/sdk/types.js';
import { INSTRUCTIONS } from './instructions.ts';
import { MODERN_VERSIONS } from './protocol.ts';

/** What we say of ourselves in either era. */
export interface ServerCard {
  readonly legacy: Omit<InitializeResult, 'protocolVersion'>;
  /** Members of `server/discover`'s result, as JSON without braces. */
  readonly modern: string;
  /** Name and version, as JSON. */
  readonly info: string;
}

/** `tellsChanges`: whether clients of the former era are told when their list of tools has changed. */
export function serverCard(version: string, tellsChanges: boolean): ServerCard {
  const serverInfo: Implementation = { name: 'drover', title: 'Drover', version };
  // The list of tools changes with the token alone, and over HTTP there is no channel on which to tell that it did.
  // In the modern era a client would have to ask for such a channel, which we never open.
  const capabilities = { tools: {} };
  const modern = { supportedVersions: MODERN_VERSIONS, capabilities, instructions: INSTRUCTIONS };
  return {
    legacy: {
      capabilities: tellsChanges ? { tools: { listChanged: true } } : capabilities,
      serverInfo,
      instructions: INSTRUCTIONS,
    },
    modern: JSON.stringify(modern).slice(1, -1),
    info: JSON.stringify(serverInfo),
  };
}
