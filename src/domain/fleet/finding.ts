/** What `doctor` found out about one thing. */
export interface Finding {
  readonly name: string;
  readonly verdict: 'ok' | 'warn' | 'fail';
  /** One sentence: what was found, and why it matters where it is not well. */
  readonly detail: string;
  /** The command or step that fixes it; `null` where there is nothing to do. */
  readonly remedy: string | null;
}
