import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';

/** A process's database queries. */
export interface Asked {
  readonly statements: number;
  /** With at least one statement running, in milliseconds of wall time. */
  readonly busyMs: number;
}

/** Counts statements from now on, BEGIN and COMMIT among them. */
export function meterQueries(database: Database): () => Asked {
  let statements = 0;
  let underWay = 0;
  let since = 0;
  let busyMs = 0;
  const begin = (): void => {
    statements += 1;
    if (underWay === 0) since = performance.now();
    underWay += 1;
  };
  const end = (): void => {
    underWay -= 1;
    if (underWay === 0) busyMs += performance.now() - since;
  };
  // Such a read only reports its start, and ends immediately.
  const isRead = ({ __knexQueryUid }: { readonly __knexQueryUid?: string }): boolean =>
    __knexQueryUid === undefined;
  database.knex.on('query', (query) => {
    if (isRead(query)) statements += 1;
    else begin();
  });
  database.knex.on('query-response', end);
  database.knex.on('query-error', end);
  return () => ({ statements, busyMs });
}
