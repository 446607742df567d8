/** Tells the worker in the same process that there is something to do, so that nobody waits for its next look. */
export class JobWakeup {
  readonly #pending = new Set<() => void>();
  readonly #cancelled = new Set<(jobId: number) => void>();

  jobWaits(): void {
    for (const listener of this.#pending) listener();
  }

  jobCancelled(jobId: number): void {
    for (const listener of this.#cancelled) listener(jobId);
  }

  onJobWaits(listener: () => void): () => void {
    this.#pending.add(listener);
    return () => this.#pending.delete(listener);
  }

  onJobCancelled(listener: (jobId: number) => void): () => void {
    this.#cancelled.add(listener);
    return () => this.#cancelled.delete(listener);
  }
}
