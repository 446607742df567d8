type Listeners<T extends readonly unknown[]> = Set<(...what: T) => void>;

/** Wakes the worker in the same process, instead of waiting for its next poll. */
export class JobWakeup {
  readonly #pending: Listeners<[]> = new Set();
  readonly #cancelled: Listeners<[jobId: number]> = new Set();
  readonly #batches: Listeners<[]> = new Set();

  jobWaits(): void {
    for (const listener of this.#pending) listener();
  }

  jobCancelled(jobId: number): void {
    for (const listener of this.#cancelled) listener(jobId);
  }

  /** A batch started, or a job ended that may be part of one. */
  batchMoves(): void {
    for (const listener of this.#batches) listener();
  }

  onJobWaits(listener: () => void): () => void {
    return listen(this.#pending, listener);
  }

  onJobCancelled(listener: (jobId: number) => void): () => void {
    return listen(this.#cancelled, listener);
  }

  onBatchMoves(listener: () => void): () => void {
    return listen(this.#batches, listener);
  }
}

function listen<T extends readonly unknown[]>(to: Listeners<T>, listener: (...what: T) => void): () => void {
  to.add(listener);
  return () => to.delete(listener);
}
