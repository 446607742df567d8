export interface TextDiff {
  /** The changed lines with some around them, as a unified diff without a header. All of both texts if too much differs. */
  between(before: string, after: string): string;
}
