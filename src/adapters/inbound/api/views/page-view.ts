import type { Page } from '../../../../domain/base/page.ts';
import { count } from './values.ts';

/** The members of a list's reply about its window and total. */
export const pageShape = { total: count, limit: count, offset: count };

export const pageView = (page: Page<unknown>) => ({
  total: page.total,
  limit: page.limit,
  offset: page.offset,
});
