import type {
  Implementation,
  InitializeResult,
  ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import { MODERN_VERSIONS } from './protocol.ts';

export interface ServerDescription {
  readonly info: Implementation;
  readonly instructions: string;
  /** By protocol generation: methods that the server offers must be among them. */
  readonly capabilities: { readonly legacy: ServerCapabilities; readonly modern: ServerCapabilities };
}

/** The server's self-description in either generation. */
export interface ServerCard {
  readonly legacy: Omit<InitializeResult, 'protocolVersion'>;
  /** Members of `server/discover`'s result, as JSON without braces. */
  readonly modern: string;
  /** Name and version, as JSON. */
  readonly info: string;
}

export function serverCard({ info, instructions, capabilities }: ServerDescription): ServerCard {
  const modern = { supportedVersions: MODERN_VERSIONS, capabilities: capabilities.modern, instructions };
  return {
    legacy: { capabilities: capabilities.legacy, serverInfo: info, instructions },
    modern: JSON.stringify(modern).slice(1, -1),
    info: JSON.stringify(info),
  };
}
