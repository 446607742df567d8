import type { ParameterizedContext } from 'koa';

/** Facts about a request beyond its bytes, for its one log line. */
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

/** The handler of one path: it checks the method itself. */
export interface FixedRoute {
  readonly path: string;
  /** Monitoring requests it all the time, so it does not count against the limit of an address. */
  readonly uncounted?: true;
  /** It reveals nothing secret, or requires its own secret: any host name is allowed. */
  readonly anyHost?: boolean;
  readonly handle: (ctx: HttpContext) => Promise<void> | void;
}
