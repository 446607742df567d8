import { DAY, HOUR, type Instant } from '../base/instant.ts';

/** Less is drift, or a slow machine. */
export const MIN_JUMP_MS = HOUR;
/** A service that was stopped for longer cannot be distinguished from one with a clock that is ahead. */
export const MAX_STOP_MS = 31 * DAY;
/** A suspended machine makes its clock jump, too: a short jump is believed once the clock was steady for this long. */
const STEADY_MS = HOUR;
/** How long a clock that was set back is shown. */
const SHOWN_MS = DAY;

export type JumpKind = 'ahead' | 'back';

/** The clock showed an unexpected time. */
export interface ClockJump {
  readonly id: number;
  readonly kind: JumpKind;
  /** The expected time, and the time that the clock showed. */
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** A user has confirmed the time. */
  readonly acknowledged: boolean;
}

/** `maxAheadMs`: how long the clock may have gone unchecked. */
export function jumpBetween(expected: Instant, now: Instant, maxAheadMs: number): JumpKind | null {
  if (now - expected > maxAheadMs) return 'ahead';
  return expected - now > MIN_JUMP_MS ? 'back' : null;
}

/** Whether the clock went back to before a jump ahead: the earlier time was right. */
export const isUndone = ({ kind, toAt }: ClockJump, now: Instant): boolean =>
  kind === 'ahead' && toAt - now > MIN_JUMP_MS;

/** Whether the time can be trusted again. Only a user can confirm a long jump ahead. */
export function isOver(jump: ClockJump, now: Instant): boolean {
  if (jump.acknowledged || isUndone(jump, now)) return true;
  if (jump.kind === 'back') return now - jump.toAt >= SHOWN_MS;
  return jump.toAt - jump.fromAt <= MAX_STOP_MS && now - jump.toAt >= STEADY_MS;
}
