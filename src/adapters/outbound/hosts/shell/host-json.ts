const MAX_DEPTH = 64;

/**
 * What a host printed as JSON; `undefined` for what is none, for more than `maxLength` characters, and for what is nested
 * deeper than 64: a megabyte of brackets takes a hundred megabytes and stops everything else meanwhile.
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
