/** A line that is longer is cut. */
const MOST_LINE_CHARACTERS = 4_096;

/** The lines of a host's output as they come, without their ends. Holds at most one line. */
export async function* hostLines(output: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const bytes of output) {
    const pieces = decoder.decode(bytes, { stream: true }).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield finish(open + piece);
      open = '';
    }
    open = (open + last).slice(0, MOST_LINE_CHARACTERS);
  }
  open += decoder.decode();
  if (open !== '') yield finish(open);
}

const finish = (line: string): string => line.slice(0, MOST_LINE_CHARACTERS).replace(/\r$/, '');
