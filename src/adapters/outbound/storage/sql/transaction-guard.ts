import { AsyncLocalStorage } from 'node:async_hooks';

/** Code that runs inside a transaction, and whether that is still open. */
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
    // Tasks that the body started and did not await may continue, but outside the transaction.
    transaction.open = false;
    open -= 1;
    // Up to Node 22 a store in use makes every promise of the process dearer: answering a request took a fifth longer.
    if (open === 0) current.disable();
  }
}

/**
 * Throws if the caller runs inside an open transaction on the same pool. Its query would not be part of the
 * transaction, and on SQLite's pool of one it would wait for itself forever.
 */
export function refuseInsideTransaction(pool: object): void {
  const transaction = current.getStore();
  if (transaction?.open && transaction.pool === pool) {
    throw new Error('A query inside a transaction did not go through the transaction: pass `trx` on to it.');
  }
}

/** Whether the current code was started by a transaction on this pool that has ended. */
export function isAfterTransaction(pool: object): boolean {
  const transaction = current.getStore();
  return transaction !== undefined && transaction.pool === pool && !transaction.open;
}
