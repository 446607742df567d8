import { createRequire } from 'node:module';

/** What this service uses of a prepared statement and of a connection; both drivers have it. */
export interface SqliteStatement {
  all(...bindings: unknown[]): unknown[];
  run(...bindings: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

type DatabaseSync = new (
  path: string,
  options?: { readOnly?: boolean; timeout?: number },
) => SqliteConnection;

let driver: DatabaseSync | undefined;

/** SQLite as it comes with Node (22.13 and later), or the same interface from a package for older ones. */
export function openSqlite(
  path: string,
  options: { readOnly?: boolean; timeout?: number } = {},
): SqliteConnection {
  driver ??= builtIn() ?? packaged();
  return new driver(path, options);
}

function builtIn(): DatabaseSync | undefined {
  // Some Nodes call the module experimental on stderr at every start; operators can do nothing about it.
  const own = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  Object.defineProperty(process, 'emitWarning', { value: () => {}, configurable: true, writable: true });
  try {
    return process.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  } finally {
    if (own) Object.defineProperty(process, 'emitWarning', own);
  }
}

function packaged(): DatabaseSync {
  return createRequire(import.meta.url)('@photostructure/sqlite').DatabaseSync as DatabaseSync;
}
