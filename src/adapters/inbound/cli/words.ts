/** The note after a truncated list. */
export function moreOf(page: {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}): string {
  const next = page.offset + page.items.length;
  return next < page.total
    ? `Showing ${page.offset + 1} to ${next} of ${page.total}; go on with --offset ${next}.\n`
    : '';
}
