/** A reply that is given again to a request that is sent again. */
export interface KeptReply {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** A reply, and the attempt at a request that made it. */
export interface ReplyToKeep {
  /** As in `RepeatableRequest`. */
  readonly id: string;
  readonly owner: string;
  readonly reply: KeptReply;
}

/** Creates the reply from the changed data, to be kept in the same transaction (`ChangeRecord.reply`). */
export type KeepReply<T> = (changed: T) => ReplyToKeep;
