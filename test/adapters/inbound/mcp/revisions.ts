import type { Answer, ApiFixture } from '../http/api-fixture.ts';

/** The newest revision with a handshake, and the first without. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

/** A request as a client of the revision sends it; this one cannot ask its user. */
export function rpcOf(
  fixture: ApiFixture,
  revision: Revision,
  token: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const version = { 'mcp-protocol-version': revision };
  if (revision === '2025-11-25') return fixture.rpc(token, method, params, version);
  const { name } = params;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    ...version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
  return fixture.rpc(token, method, { ...params, _meta: meta }, headers);
}
