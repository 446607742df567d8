import type { Instant } from '../../../../../domain/base/instant.ts';

export const DAY_MINUTES = 1_440;

export interface Place {
  /** Such as `Mon 23 Nov`. */
  readonly day: string;
  readonly minute: number;
}

/** What the clocks of a zone say. */
export function placeIn(zone: string): (at: Instant) => Place {
  const days = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  const times = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const [hour = 0, minute = 0] = times.format(at).split(':').map(Number);
    return { day: days.format(at).replace(',', ''), minute: hour * 60 + minute };
  };
}

/** Such as `02:30`. */
export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
