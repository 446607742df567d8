import {
  MAX_FACT_NAME,
  MAX_FACT_VALUE,
  MAX_FACTS,
  type StateFacts,
  type StateKind,
} from '../../../../domain/fleet/host-state.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Section } from '../shell/marked-sections.ts';

/**
 * The facts of a section's lines. Values of the same name are joined, in order; `null` if the command failed, printed a line that
 * ends in the middle, or there are more facts than are compared.
 */
export function factsByName(
  kind: StateKind,
  section: Section | undefined,
  factOf: (line: string) => readonly [name: string, value: string] | null,
): StateFacts {
  if (section?.exitCode !== 0) return null;
  const found = new Map<string, Set<string>>();
  // Lines that are no facts, such as kernel file systems, may be as many again.
  for (const line of firstLines(section.text, 4 * MAX_FACTS[kind])) {
    const fact = factOf(line);
    const name = plainText(fact?.[0], MAX_FACT_NAME);
    if (fact === null || name === null) continue;
    const values = found.get(name) ?? new Set();
    found.set(name, values.add(fact[1]));
    if (found.size > MAX_FACTS[kind]) return null;
  }
  return new Map(
    Array.from(found, ([name, values]) => [
      name,
      plainText([...values].sort().join(', '), MAX_FACT_VALUE) ?? '',
    ]),
  );
}
