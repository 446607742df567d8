/** Where the master keys are stored. Keys never leave it. */
export interface KeyRing {
  /** The ids of its keys, the one for new secrets first. Throws `secret_unreadable`. */
  ids(): Promise<readonly string[]>;
  /** Puts a new random key first and returns its id. Throws `invalid_input` if the keys are not in a file, `secret_unreadable`. */
  add(): Promise<string>;
  /** Removes keys. Throws `invalid_input` if the keys are not in a file or none would be left, `secret_unreadable`. */
  remove(ids: readonly string[]): Promise<void>;
}
