/**
 * In characters. Hosts print anything, and a regular expression's time grows with the line, or faster: no line that a
 * parser gets is longer.
 */
export const MAX_LINE = 4_096;
/** Stands at the end of a line that was cut, so that nothing takes it for a whole one. */
export const CUT = '…';
/** Lines between which the service does other work. */
const AT_ONCE = 200;
/** Further lines of a command are dropped. */
const MAX_LINES = 200_000;

const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line without its end, cut. */
function finished(line: string, most: number): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.length <= most ? whole : `${whole.slice(0, most)}${CUT}`;
}

/** The lines of a text without their ends: the first `most` of them, each cut to `maxLine` characters. */
export function* firstLines(text: string, most: number, maxLine: number = MAX_LINE): Generator<string> {
  let start = 0;
  for (let count = 0; count < most && start < text.length; count += 1) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    // one more than is kept, and a carriage return: shows that it was cut
    yield finished(text.slice(start, Math.min(end, start + maxLine + 2)), maxLine);
    start = end + 1;
  }
}

/** The last line with text, trimmed; reads only the end of the text. */
export function lastLine(text: string): string {
  const end = text.slice(-2 * MAX_LINE).trimEnd();
  return finished(end.slice(end.lastIndexOf('\n') + 1).trim(), MAX_LINE);
}

/**
 * The lines of a host's output as they arrive. Holds at most one line, up to a number of characters; the rest of a
 * longer one is dropped. However many lines arrive together, the service does other work between them; after 200,000
 * the rest is dropped.
 */
export async function* hostLines(
  output: AsyncIterable<Uint8Array>,
  most: number = MAX_LINE,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  let count = 0;
  for await (const bytes of output) {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0 && count < MAX_LINES; end = text.indexOf('\n', start)) {
      yield finished(open + text.slice(start, Math.min(end, start + most + 2)), most);
      open = '';
      start = end + 1;
      count += 1;
      if (count % AT_ONCE === 0) await otherWork();
    }
    if (open.length < most + 2) open += text.slice(start, start + most + 2);
  }
  open += decoder.decode();
  if (count >= MAX_LINES) yield CUT;
  else if (open !== '') yield finished(open, most);
}

const MAX_DEPTH = 64;

/**
 * A host's output as JSON; `undefined` if it is invalid, longer than `maxLength` characters, or nested deeper than
 * 64: a megabyte of brackets takes a hundred megabytes and blocks everything else.
 */
export function hostJson(text: string, maxLength: number): unknown {
  if (text.length > maxLength || isDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Brackets within texts count too, which can only make it refuse: JSON of hosts has few of them. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
