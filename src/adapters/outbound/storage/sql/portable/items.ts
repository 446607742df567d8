/** A database as a stream: each table is named, then come its rows, with their values in the order of the columns. */
export type DatabaseItem =
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'row'; readonly values: readonly unknown[] };

/** Tables about processes, and the schema itself, which mean nothing in another database. */
const NOT_CARRIED = new Set(['leases', 'replicas', 'schema_migrations', 'schema_migrations_lock']);

export const isCarried = (table: string): boolean => !NOT_CARRIED.has(table);

/** JSON has no bytes. */
export const toPortable = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

export function fromPortable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { base64 } = value as { base64?: unknown };
  if (typeof base64 !== 'string') throw new TypeError('a value has an unknown type');
  return Buffer.from(base64, 'base64');
}
