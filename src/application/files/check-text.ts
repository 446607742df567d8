import { UseCase } from '../base/use-case.ts';
import type { TextFault } from '../ports/compose/yaml-text.ts';

/** Finds what a program could not read in a text, by the ending of its name. */
export class CheckText extends UseCase<'yaml'> {
  /** The first fault; `null` if there is none, or the format is unknown. */
  execute(name: string, text: string): TextFault | null {
    const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    if (ending === 'yaml' || ending === 'yml') return this.deps.yaml.faultOf(text);
    return ending === 'json' && text.trim() !== '' ? jsonFault(text) : null;
  }
}

/** The engine's message, such as `Expected ',' or '}' after property value in JSON at position 42 (line 3 column 5)`. */
function jsonFault(text: string): TextFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    const position = Number(/ at position (\d+)/.exec(said)?.[1] ?? text.trimEnd().length);
    const message = said.replace(/(?: in JSON)?(?: at position.*)?$/, '').replace(/, ".*$/s, '');
    return { line: text.slice(0, position).split('\n').length, message };
  }
}
