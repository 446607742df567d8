/** The samples of a page in their order, by name and labels as written. */
export const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))] as const;
      }),
  );
