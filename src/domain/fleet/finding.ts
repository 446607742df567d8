/** One finding of `doctor`. */
export interface Finding {
  readonly name: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found, and why it matters if it is a problem. */
  readonly detail: string;
  /** The command or step that fixes it; `null` if there is nothing to do. */
  readonly remedy: string | null;
}
