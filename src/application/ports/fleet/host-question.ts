/** A script's output. */
export interface HostReply {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A question to hosts as a script: a separate command, or the start of a larger command, since over many hosts each
 * command counts.
 */
export interface HostQuestion<Answer> {
  /** A POSIX sh script that terminates. */
  readonly script: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Longer output is dropped. */
  readonly maxOutputBytes: number;
  /** Parses the output. Throws if it is invalid. */
  readonly read: (said: HostReply) => Answer;
}
