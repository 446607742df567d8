import type { DeniedNames } from '../../domain/files/denied-names.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { type ShownName, shownName } from '../../domain/files/shown-name.ts';
import type { TreeEntry } from '../ports/files/jail-fs.ts';

/** A path below a directory as it is shown; `escaped` where no `JailPath` can name it. */
export function shownPath(names: readonly Uint8Array[]): ShownName {
  const shown = names.map(shownName);
  return { text: shown.map(({ text }) => text).join('/'), escaped: shown.some(({ escaped }) => escaped) };
}

/** Those whose own name is denied, as they are shown; what is below them is not named again. */
export const deniedIn = (entries: readonly TreeEntry[], denied: DeniedNames): readonly string[] =>
  entries.filter(({ names }) => isDenied(names.slice(-1), denied)).map(({ names }) => shownPath(names).text);

export const isDenied = (names: readonly Uint8Array[], denied: DeniedNames): boolean =>
  names.some((name) => {
    const { text, escaped } = shownName(name);
    return !escaped && denied.deny(JailPath.ROOT, text);
  });
