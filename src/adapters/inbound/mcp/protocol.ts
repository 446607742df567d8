import {
  ErrorCode,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * The two generations of the protocol. Up to 2025-11-25 (the SDK's versions) a client starts with `initialize`; from
 * 2026-07-28 on each request states its version, and there is no handshake.
 */
export const LEGACY_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;
export const LATEST_LEGACY_VERSION = LATEST_PROTOCOL_VERSION;
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** Versions are dates, so that they sort as text. */
export const isModern = (version: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(version) && version >= '2026-07-28';

/** The member of a result's `_meta` that lists its texts from hosts. */
export const HOST_TEXT_KEY = 'drover/host_text';

/** Members of `_meta` that the modern era gives a meaning to. */
export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** Codes of JSON-RPC errors: the SDK's, and those of the revision that it does not support. */
export const RPC = {
  parseError: ErrorCode.ParseError,
  invalidRequest: ErrorCode.InvalidRequest,
  methodNotFound: ErrorCode.MethodNotFound,
  invalidParams: ErrorCode.InvalidParams,
  internalError: ErrorCode.InternalError,
  /** A version in the header that no legacy client may name; the SDK's own servers use this code for it. */
  badRequest: ErrorCode.ConnectionClosed,
  /** Ours: the token lacks the scope `read`. */
  forbidden: -32001,
  /** Ours: the stdio adapter has not reached the service yet. */
  unreachable: -32010,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** How long a client may keep our tool list, in milliseconds: a token's scopes change seldom, yet they do. */
export const LIST_TTL = 60_000;
