import { visibleText } from '../../../../../domain/base/visible-text.ts';

/**
 * Text that a host may have written. It is cleaned before it is stored, but rows of version 1.1 hold it as it came: reading it
 * through this spares a migration that would rewrite every job.
 */
export const hostText = <T extends string | null>(text: T): T =>
  (text === null ? null : visibleText(text)) as T;
