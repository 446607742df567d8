/** Looks at a dump while it passes, and knows in the end whether it is whole. */
export interface DumpFormat {
  /** The bytes that belong to the dump; some may be held back. */
  pass(chunk: Buffer): Buffer;
  /** The held-back bytes, and the dump's fault; `null` for nothing. */
  end(): { readonly rest: Buffer; readonly fault: string | null };
}
