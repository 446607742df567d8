const NUMBER = new Intl.NumberFormat('en-US');

/** `2,000`. */
export const formatCount = (count: number): string => NUMBER.format(count);

/** `1 file`, `2,000 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
