/** The table in which it is recorded which migrations are done. */
export const RECORD = 'schema_migrations';
