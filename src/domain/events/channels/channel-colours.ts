import type { Severity } from '../event.ts';

export const COLOURS = { info: 0x2f6feb, warning: 0xd29922, critical: 0xcf222e } as const satisfies Record<
  Severity,
  number
>;
