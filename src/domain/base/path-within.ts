/** Whether a path is another one, or inside it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(outer === '/' ? '/' : `${outer}/`);
