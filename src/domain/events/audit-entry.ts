import type { Actor, ActorKind } from '../access/actor.ts';
import type { Instant } from '../base/instant.ts';
import { escapedValue } from '../base/visible-text.ts';

/** One change: who did what to what, from where, and the result. */
export interface AuditEntry {
  readonly at: Instant;
  readonly actorKind: ActorKind;
  readonly actorId: number | null;
  readonly actorName: string;
  readonly address: string | null;
  /** Dotted and in the past's grammar of a verb: `job.request`, `token.revoke`. */
  readonly action: string;
  /** Such as `server:1`, `job:17`. */
  readonly object: string;
  /** `done`, or the error code of a refusal. */
  readonly outcome: string;
  /** More about it, as plain JSON; never a secret. */
  readonly detail: { readonly [key: string]: unknown };
}

export const auditEntry = (
  actor: Actor,
  at: Instant,
  action: string,
  object: string,
  detail: AuditEntry['detail'] = {},
  outcome = 'done',
): AuditEntry => ({
  at,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
  address: actor.address,
  action,
  object,
  outcome,
  // A path or a name that a host planted, and an agent then sent, is written out.
  detail: escapedValue(actor.via === null ? detail : { ...detail, via: actor.via }),
});

/** A filter for audit entries. */
/** As many entries a search for a text reads. */
export const MAX_SEARCHED = 100_000;

export interface AuditFilter {
  readonly object?: string;
  readonly actorKind?: ActorKind;
  readonly actorId?: number;
  /** By name, exactly. */
  readonly actorName?: string;
  /** `job` is all that is done with jobs, `job.request` the one thing. */
  readonly action?: string;
  /** None of these actions. */
  readonly except?: readonly string[];
  /** Entries about this server, or about something on it. */
  readonly serverId?: number;
  readonly outcome?: 'done' | 'refused';
  /**
   * Each of its words is in the actor's name, action, object, details or the server's name, in any case. Only the
   * newest `MAX_SEARCHED` entries are read.
   */
  readonly text?: string;
  readonly from?: Instant;
  /** Up to the moment before. */
  readonly until?: Instant;
}

/** An entry as it is kept. */
export type KeptEntry = AuditEntry & { readonly id: number };
