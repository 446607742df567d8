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

/** Makes the reply out of what was changed, to be kept in the transaction that changes it (`ChangeRecord.reply`). */
export type KeepReply<T> = (changed: T) => ReplyToKeep;
