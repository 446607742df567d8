import { AsyncLocalStorage } from 'node:async_hooks';

/** What runs inside a transaction, and whether that transaction is still open. */
const current = new AsyncLocalStorage<{ readonly pool: object; open: boolean }>();

/** How many transactions are open, on all pools. */
let open = 0;

/** Runs a transaction's body so that `refuseInsideTransaction` knows of it. */
export async function insideTransaction<T>(pool: object, body: () => Promise<T>): Promise<T> {
  const transaction = { pool, open: true };
  open += 1;
  try {
    return await current.run(transaction, body);
  } finally {
    // What the body started and left behind may go on, but is not in the transaction any more.
    transaction.open = false;
    open -= 1;
    // Up to Node 22 a store in use makes every promise of the process dearer: answering a request took a fifth longer.
    if (open === 0) current.disable();
  }
}

/**
 * Throws where the code that asks for a connection runs inside an open transaction on the same pool. Such a query would
 * not be part of the transaction, and on SQLite's pool of one it would wait for its own caller for ever.
 */
export function refuseInsideTransaction(pool: object): void {
  const transaction = current.getStore();
  if (transaction?.open && transaction.pool === pool) {
    throw new Error('A query inside a transaction did not go through the transaction: pass `trx` on to it.');
  }
}

/** Whether what runs now was started by a transaction on this pool that has ended since. */
export function isAfterTransaction(pool: object): boolean {
  const transaction = current.getStore();
  return transaction !== undefined && transaction.pool === pool && !transaction.open;
}
