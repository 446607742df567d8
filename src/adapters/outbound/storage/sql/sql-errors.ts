import { DomainError } from '../../../../domain/base/errors.ts';

/** The fields that identify drivers' errors: `errno` (MySQL), `errcode` (SQLite), `code` (both, and Node). */
interface DriverError {
  readonly errno?: number;
  readonly errcode?: number;
  readonly code?: string;
  readonly name: string;
  readonly message: string;
  readonly fatal?: boolean;
}

const asDriverError = (error: unknown): DriverError | null => (error instanceof Error ? error : null);

/** ER_DUP_ENTRY; SQLITE_CONSTRAINT_UNIQUE and _PRIMARYKEY, https://sqlite.org/rescode.html. */
const DUPLICATE_ENTRY = 1062;
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARY_KEY = 1555;

/**
 * Whether a unique index refused a row. With `columns`, whether it was the index over just these: SQLite names the
 * columns (`servers.name_key`), MySQL the index, which knex calls `<table>_<columns>_unique` and MySQL `PRIMARY`.
 */
export function isUniqueViolation(error: unknown, table?: string, columns: readonly string[] = []): boolean {
  const driver = asDriverError(error);
  if (!driver) return false;
  const sqlite = driver.errcode === CONSTRAINT_UNIQUE || driver.errcode === CONSTRAINT_PRIMARY_KEY;
  if (!sqlite && driver.errno !== DUPLICATE_ENTRY) return false;
  if (table === undefined) return true;
  return sqlite
    ? driver.message.endsWith(columns.map((column) => `${table}.${column}`).join(', '))
    : driver.message.includes(`${[table, ...columns].join('_')}_unique'`);
}

/** ER_NO_REFERENCED_ROW(_2), ER_ROW_IS_REFERENCED(_2); SQLITE_CONSTRAINT_FOREIGNKEY. */
export function isForeignKeyViolation(error: unknown): boolean {
  const driver = asDriverError(error);
  return driver !== null && (driver.errcode === 787 || [1216, 1217, 1451, 1452].includes(driver.errno ?? 0));
}

/** ER_NO_SUCH_TABLE. */
export const isMissingTable = (error: unknown): boolean => asDriverError(error)?.errno === 1146;

/** ER_LOCK_DEADLOCK, also Galera's answer to a conflict with another node; ER_LOCK_WAIT_TIMEOUT. Both end in a rollback. */
const LOST_TO_ANOTHER = new Set([1213, 1205]);
const SQLITE_BUSY = 5;

export const isSqliteBusy = (error: unknown): boolean => primaryCode(asDriverError(error)) === SQLITE_BUSY;

/** SQLite's messages for an unusable database, https://sqlite.org/rescode.html. */
const SQLITE_WORDS: Readonly<Record<string, number>> = {
  'access permission denied': 3,
  'database is locked': SQLITE_BUSY,
  'database table is locked': 6,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

/** The packaged driver omits the code if a statement with rows fails, including `BEGIN`: only the message remains. */
function primaryCode(driver: DriverError | null): number {
  if (driver?.errcode !== undefined) return driver.errcode & 0xff;
  if (driver?.code !== 'ERR_SQLITE_ERROR') return 0;
  return SQLITE_WORDS[withoutStatement(driver.message)] ?? 0;
}

/** The driver's words alone; knex puts the statement before them. */
const withoutStatement = (message: string): string =>
  message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');

/** Whether a transaction that failed so was surely rolled back and may be run again. */
export const isRetriable = (error: unknown): boolean =>
  LOST_TO_ANOTHER.has(asDriverError(error)?.errno ?? 0) || isSqliteBusy(error);

/**
 * ER_CON_COUNT, access denied, unknown database, server shutdown, WSREP not ready, statement killed by its time-out, a commit that
 * failed, as on a node that is cut off at that moment.
 */
const MYSQL_UNAVAILABLE = new Set([
  1040, 1044, 1045, 1047, 1049, 1053, 1129, 1130, 1180, 1203, 1226, 1698, 1969, 3024,
]);
const CONNECTION_CODES =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|PROTOCOL_|HANDSHAKE_|ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
const SQLITE_UNAVAILABLE = new Set(Object.values(SQLITE_WORDS));

/** Turns errors of an unusable database into `database_unavailable`; returns every other error unchanged. */
export function translateFailure(error: unknown): unknown {
  const driver = asDriverError(error);
  if (!driver || error instanceof DomainError) return error;
  if (driver.name === 'KnexTimeoutError')
    return databaseUnavailable('no connection to it became free in time.', error);
  const unavailable =
    MYSQL_UNAVAILABLE.has(driver.errno ?? 0) ||
    SQLITE_UNAVAILABLE.has(primaryCode(driver)) ||
    CONNECTION_CODES.test(driver.code ?? '') ||
    driver.fatal === true ||
    driver.message.includes('connection is in closed state');
  return unavailable ? databaseUnavailable(reason(driver), error) : error;
}

function reason(driver: DriverError): string {
  const words = withoutStatement(driver.message).trimEnd().replace(/\.$/, '');
  return `${words || driver.code || 'the connection failed'}.`;
}

/**
 * ER_LOCK_WAIT_TIMEOUT: what a node that cannot catch up with its cluster answers to a lone read, which waits for no
 * lock.
 */
export const isLockTimeout = (error: unknown): boolean => asDriverError(error)?.errno === 1205;

export const databaseUnavailable = (why: string, cause?: unknown): DomainError =>
  new DomainError('database_unavailable', `The database does not answer as it should: ${why}`, { cause });
