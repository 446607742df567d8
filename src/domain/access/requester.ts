import type { Instant } from '../base/instant.ts';
import type { Actor, ActorKind } from './actor.ts';

/** The requester of something that is done later, as stored until then. */
export interface Requester {
  readonly kind: ActorKind;
  readonly id: number | null;
  readonly name: string;
  readonly address: string | null;
  /** As `requested_by` names them. */
  readonly label: string;
}

export const requesterOf = ({ kind, id, name, address, label }: Actor): Requester => ({
  kind,
  id,
  name,
  address,
  label,
});

/** Stored with a job or batch that waits for approval. */
export interface ApprovalTerms {
  readonly requester: Requester;
  /** It expires then. */
  readonly expiresAt: Instant;
}

const SCHEDULE = 'schedule ';

/** How jobs name a schedule as the requester. */
export const viaSchedule = (name: string): string => `${SCHEDULE}${name}`;

/** The schedule that a kept requester acted for. */
export const viaOf = ({ label }: Pick<Requester, 'label'>): string | null =>
  label.startsWith(SCHEDULE) ? label : null;

export interface Origin {
  readonly kind: 'user' | 'token' | 'schedule' | 'service';
  readonly name: string;
}

/** Who started a job, from its `requested_by`: `user:ann` is the user ann, `schedule nightly` the schedule nightly. */
export function originOf(label: string): Origin {
  if (label.startsWith(SCHEDULE)) return { kind: 'schedule', name: label.slice(SCHEDULE.length) };
  const [, kind, name] = /^(user|token):(.*)$/s.exec(label) ?? [];
  return kind === 'user' || kind === 'token' ? { kind, name: name ?? '' } : { kind: 'service', name: label };
}
