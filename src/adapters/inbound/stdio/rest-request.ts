import { type Operation, type Route, takesBody } from '../api/operation.ts';

/** A request to the service. */
export interface RestRequest {
  readonly method: Route['method'];
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  readonly json?: object;
  /** The caller's own Idempotency-Key. */
  readonly key?: string;
  /** In place of `/api/v1`. Such a request has no key, and is never repeated. */
  readonly prefix?: '/mcp';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The REST request for an operation, at the first of its routes. The input is validated. */
export function restRequest(operation: Operation, input: object): RestRequest {
  const [route] = operation.routes;
  if (route === undefined) throw new TypeError(`${operation.name} has no route`);
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  if (takesBody(route)) return { method: route.method, path, json: Object.fromEntries(fields) };
  const query = new URLSearchParams();
  for (const [name, value] of fields) query.set(name, String(value));
  return { method: route.method, path: query.size === 0 ? path : `${path}?${query.toString()}` };
}
