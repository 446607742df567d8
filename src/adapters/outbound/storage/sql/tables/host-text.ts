import { visibleText } from '../../../../../domain/base/visible-text.ts';

/**
 * Text that may come from a host. It is cleaned before it is stored, but rows of version 1.1 have it unchanged:
 * reading it through this avoids a migration that would rewrite every job.
 */
export const hostText = <T extends string | null>(text: T): T =>
  (text === null ? null : visibleText(text)) as T;
