export type Row = Readonly<Record<string, unknown>>;

export type Added = readonly [table: string, row: Row];

/** Texts that one database or the other could take for something else. */
export const ODD = 'Größe \'a\' "b" `c` \\ % _ ? 🚚 \n end ';
export const LARGE = 2 ** 50 + 1;
export const HASH = 'a1'.repeat(32);
