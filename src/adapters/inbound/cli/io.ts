/** The terminal, or whatever is in its place. */
export interface Io {
  /** Standard output: the answer. */
  out(text: string): void;
  /** Standard error: errors, questions, and progress. */
  err(text: string): void;
  /** Whether a user is there to answer questions. */
  readonly interactive: boolean;
  /** The width of the terminal that shows standard error; `null` without a terminal. */
  readonly columns: number | null;
  /**
   * Asks on standard error and reads one line. `hidden`: the input is not shown. Throws when the input ends first.
   */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
  /** All of standard input; throws `RangeError` if it is longer. */
  readInput(mostBytes: number): Promise<string>;
  /** A whole file; throws as `fs.readFile` does, and `RangeError` if it is longer. */
  readFile(path: string, mostBytes: number): Promise<string>;
}
