const NUMBER = new Intl.NumberFormat('en-US');

/** `2,000`. */
export const grouped = (number: number): string => NUMBER.format(number);

/** `1 file`, `2,000 files`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;
