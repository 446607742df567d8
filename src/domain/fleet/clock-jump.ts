import { DAY, HOUR, type Instant } from '../base/instant.ts';

/** Less is drift, or a slow machine. */
export const MIN_JUMP_MS = HOUR;
/** A service that was stopped for longer cannot be told from one whose clock is ahead. */
export const MAX_STOP_MS = 31 * DAY;
/** A suspended machine makes its clock jump, too: a short jump is believed once the clock was steady for this long. */
const STEADY_MS = HOUR;
/** How long a clock that was set back is shown. */
const SHOWN_MS = DAY;

export type JumpKind = 'ahead' | 'back';

/** The clock showed another time than was to be expected. */
export interface ClockJump {
  readonly id: number;
  readonly kind: JumpKind;
  /** The time that was to be expected, and the one that the clock showed. */
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Somebody has said that the time is right. */
  readonly acknowledged: boolean;
}

/** `maxAheadMs`: how long nobody may have looked at the clock. */
export function jumpBetween(expected: Instant, now: Instant, maxAheadMs: number): JumpKind | null {
  if (now - expected > maxAheadMs) return 'ahead';
  return expected - now > MIN_JUMP_MS ? 'back' : null;
}

/** Whether the clock went back to before a jump ahead: the earlier time was right. */
export const isUndone = ({ kind, toAt }: ClockJump, now: Instant): boolean =>
  kind === 'ahead' && toAt - now > MIN_JUMP_MS;

/** Whether the time may be taken for right again. A long jump ahead is believed by people alone. */
export function isOver(jump: ClockJump, now: Instant): boolean {
  if (jump.acknowledged || isUndone(jump, now)) return true;
  if (jump.kind === 'back') return now - jump.toAt >= SHOWN_MS;
  return jump.toAt - jump.fromAt <= MAX_STOP_MS && now - jump.toAt >= STEADY_MS;
}
