import type { Page, PageRequest } from '../../src/domain/base/page.ts';

/** The window that is asked for on a whole list. */
export const pageOf = <T>(all: readonly T[], { limit, offset }: PageRequest): Page<T> => ({
  items: all.slice(offset, offset + limit),
  total: all.length,
  limit,
  offset,
});
