/** Looks at a dump while it passes, and knows in the end whether it is whole. */
export interface DumpFormat {
  /** What of it belongs to the dump; some may be held back. */
  pass(chunk: Buffer): Buffer;
  /** What was held back, and what is wrong with the whole; `null` for nothing. */
  end(): { readonly rest: Buffer; readonly fault: string | null };
}
