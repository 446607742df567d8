import type { ParameterizedContext } from 'koa';

/** What is known of a request beyond its bytes, and told in its one log line. */
export interface RequestState {
  /** Ours; none is taken from outside. */
  requestId: string;
  /** The caller's address, past trusted proxies. */
  client: string;
  /** The pattern of the route, never the path itself. */
  route: string;
  tokenId: number | null;
}

export type HttpContext = ParameterizedContext<RequestState>;

/** Whatever answers at one path: it looks at the method itself. */
export interface FixedRoute {
  readonly path: string;
  /** Monitoring requests it all the time, so it does not count against the limit of an address. */
  readonly uncounted?: true;
  /** It tells nothing that a web page may not know, or asks for a secret of its own: any host name will do. */
  readonly anyHost?: boolean;
  readonly handle: (ctx: HttpContext) => Promise<void> | void;
}
