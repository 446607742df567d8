/** The terminal, or whatever is in its place. */
export interface Io {
  /** Standard output: the answer. */
  out(text: string): void;
  /** Standard error: errors, questions, and what goes on meanwhile. */
  err(text: string): void;
  /** Whether somebody is there to answer questions. */
  readonly interactive: boolean;
  /** Characters in a line of the terminal that shows standard error; `null` where that is no terminal. */
  readonly columns: number | null;
  /** Asks on standard error and reads one line. `hidden`: what is typed is not shown. Throws when the input ends first. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string>;
  /** All of standard input; throws `RangeError` where it is longer. */
  readInput(mostBytes: number): Promise<string>;
  /** A whole file; throws as `fs.readFile` does, and `RangeError` where it is longer. */
  readFile(path: string, mostBytes: number): Promise<string>;
}
