/** A line that is longer is cut. */
const MOST_LINE_CHARACTERS = 4_096;

/** The lines of a host's output as they come, without their ends. Holds at most one line, of so many characters. */
export async function* hostLines(
  output: AsyncIterable<Uint8Array>,
  most: number = MOST_LINE_CHARACTERS,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const finish = (line: string): string => line.slice(0, most).replace(/\r$/, '');
  let open = '';
  for await (const bytes of output) {
    const pieces = decoder.decode(bytes, { stream: true }).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield finish(open + piece);
      open = '';
    }
    open += last;
    if (open.length > most) open = open.slice(0, most);
  }
  open += decoder.decode();
  if (open !== '') yield finish(open);
}
