/** What a script printed. */
export interface HostSaid {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Something that hosts are asked by a script: by a command of its own, or at the beginning of a command that asks for more, since
 * over many hosts each command counts.
 */
export interface HostQuestion<Answer> {
  /** POSIX sh that ends by itself. */
  readonly script: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** What it prints beyond that is dropped. */
  readonly maxOutputBytes: number;
  /** Makes the answer of what was printed. Throws where that makes no sense. */
  readonly read: (said: HostSaid) => Answer;
}
