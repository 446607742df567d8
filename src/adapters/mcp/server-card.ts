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

export function serverCard(version: string): ServerCard {
  const serverInfo: Implementation = { name: 'drover', title: 'Drover', version };
  // The list of tools changes with the token alone, and there is no channel on which to tell that it did.
  const capabilities = { tools: {} };
  const modern = { supportedVersions: MODERN_VERSIONS, capabilities, instructions: INSTRUCTIONS };
  return {
    legacy: { capabilities, serverInfo, instructions: INSTRUCTIONS },
    modern: JSON.stringify(modern).slice(1, -1),
    info: JSON.stringify(serverInfo),
  };
}
