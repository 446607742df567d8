import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';

/** What a process asks of its database. */
export interface Asked {
  readonly statements: number;
  /** While at least one statement was under way, in milliseconds on the clock. */
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
  // Such a read tells of its beginning alone, and is over at once.
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
