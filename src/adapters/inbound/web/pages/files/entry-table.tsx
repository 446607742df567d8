import type { ComponentChildren } from 'preact';
import type { EntryKind } from '../../../../../domain/files/directory-entry.ts';
import type { ShownName } from '../../../../../domain/files/shown-name.ts';

/** What is in a directory: name, size, time, and what can be done. */
export function EntryTable({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="wide">
      <table class="entries">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col">Changed</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const KIND_WORDS: Readonly<Record<Exclude<EntryKind, 'file'>, string>> = {
  dir: 'directory',
  link: 'link',
  other: 'special file',
};

interface EntryNameProps {
  readonly shown: ShownName;
  readonly kind: EntryKind;
  readonly denied: boolean;
  /** Where it leads; `null`: nowhere. */
  readonly href: string | null;
}

/** A name with what there is to know of it, in words. */
export function EntryName({ shown, kind, denied, href }: EntryNameProps) {
  const name = kind === 'dir' ? `${shown.text}/` : shown.text;
  return (
    <>
      <span class="mono">{href === null || shown.escaped ? name : <a href={href}>{name}</a>}</span>{' '}
      {kind === 'file' || kind === 'dir' ? null : <span class="tag">{KIND_WORDS[kind]}</span>}{' '}
      {denied ? (
        <span class="tag" title="Keys and stored passwords are not for file tools.">
          denied
        </span>
      ) : null}{' '}
      {shown.escaped ? (
        <span class="tag" title="Written with backslashes here; the page cannot name it.">
          odd name
        </span>
      ) : null}
    </>
  );
}
