import type { Instant } from '../../../../../domain/base/instant.ts';
import type { EntryKind } from '../../../../../domain/files/directory-entry.ts';
import type { ShownName } from '../../../../../domain/files/shown-name.ts';
import { type Column, DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { RowActions } from '../../components/row-actions.tsx';
import { size } from '../../components/size.ts';
import { sortedRows, sortingOf } from '../../components/sorting.ts';
import { Ago } from '../../components/time.tsx';
import { Way } from '../fleet/remedy.tsx';

/** A directory's entries: name, size, time, and actions. */
export function EntryTable<Entry extends ShownEntry>({
  entries,
  now,
  hrefOf,
  actions,
  empty,
  paging,
  select,
  extra,
  buttons,
  sorting: place,
}: EntryTableProps<Entry>) {
  const sorting = place === undefined ? null : sortingOf({ ...place, ...SORTED_BY });
  return (
    <DataTable
      rows={sorting === null ? entries : sortedRows(entries, sorting.order, ORDERS)}
      keyOf={({ shown }) => shown.text}
      empty={empty}
      paging={paging}
      select={select === undefined ? undefined : { form: select, label: ({ shown }) => shown.text }}
      columns={[
        {
          head: 'Name',
          kind: 'text',
          sort: sorting?.sort('name'),
          cell: (entry) => <EntryName entry={entry} href={hrefOf(entry)} />,
        },
        {
          head: 'Size',
          kind: 'number',
          sort: sorting?.sort('size'),
          cell: ({ kind, size: bytes }) => (kind === 'file' ? size(bytes) : ''),
        },
        {
          head: 'Changed',
          kind: 'fill',
          sort: sorting?.sort('changed'),
          cell: ({ modifiedAt }) => <Ago at={modifiedAt} now={now} />,
        },
        extra ?? false,
        {
          head: 'Actions',
          kind: 'actions',
          cell: (entry) => <EntryActions about={entry.shown.text} all={actions(entry)} buttons={buttons} />,
        },
      ]}
    />
  );
}

interface EntryAction {
  readonly label: string;
  readonly href: string;
}

/** Buttons and a menu; on a phone, the menu has all of them. */
function EntryActions({
  about,
  all,
  buttons,
}: {
  readonly about: string;
  readonly all: readonly EntryAction[];
  readonly buttons: number;
}) {
  const way = ({ label, href }: EntryAction, desk: boolean) => (
    <Way
      key={`${label}${desk}`}
      to={href}
      label={label}
      about={about}
      download={label === 'Download'}
      desk={desk}
    />
  );
  const hasMenu = all.length > buttons;
  return (
    <RowActions about={about} buttons={buttons}>
      {hasMenu ? all.slice(0, buttons).map((each) => way(each, true)) : null}
      {all.map((each) => way(each, false))}
    </RowActions>
  );
}

const SORTED_BY = {
  keys: ['name', 'size', 'changed'],
  usual: { by: 'name', descending: false },
  largestFirst: ['size', 'changed'],
} as const;
const ORDERS = {
  name: ({ shown }: ShownEntry) => shown.text,
  size: ({ kind, size: bytes }: ShownEntry) => (kind === 'file' ? bytes : null),
  changed: ({ modifiedAt }: ShownEntry) => modifiedAt,
};

export interface ShownEntry {
  readonly shown: ShownName;
  readonly kind: EntryKind;
  readonly denied: boolean;
  readonly size: number;
  readonly modifiedAt: Instant;
}

interface EntryTableProps<Entry> {
  readonly entries: readonly Entry[];
  readonly now: Instant;
  /** Null: it cannot be opened. */
  readonly hrefOf: (entry: Entry) => string | null;
  readonly actions: (entry: Entry) => readonly EntryAction[];
  readonly empty?: string;
  readonly paging?: TablePaging;
  /** The form that boxes before the rows belong to. */
  readonly select?: string;
  readonly extra?: Column<Entry> | undefined;
  /** Actions outside the menu of a row. */
  readonly buttons: number;
  /** The address of the page, whose headings then sort. */
  readonly sorting?: { readonly path: string; readonly query: URLSearchParams };
}

const ICONS: Readonly<Record<EntryKind, IconName>> = {
  dir: 'folder',
  file: 'file-text',
  link: 'arrow-right',
  other: 'circle-help',
};

const KIND_WORDS: Readonly<Record<Exclude<EntryKind, 'file'>, string>> = {
  dir: 'directory',
  link: 'link',
  other: 'special file',
};

/** A name with its details, in words. */
function EntryName({
  entry: { shown, kind, denied },
  href,
}: {
  readonly entry: ShownEntry;
  readonly href: string | null;
}) {
  const name = kind === 'dir' ? `${shown.text}/` : shown.text;
  return (
    <>
      <Icon name={ICONS[kind]} />{' '}
      <span class="mono">{href === null || shown.escaped ? name : <a href={href}>{name}</a>}</span>{' '}
      {kind === 'file' || kind === 'dir' ? null : <span class="tag">{KIND_WORDS[kind]}</span>}{' '}
      {denied ? (
        <span
          class="tag"
          title="Not shown: names of keys and stored passwords, and names that the server's settings deny."
        >
          may hold secrets
        </span>
      ) : null}{' '}
      {shown.escaped ? (
        <span
          class="tag"
          title="The name contains special bytes, shown as backslash codes; the web UI cannot open it."
        >
          special name
        </span>
      ) : null}
    </>
  );
}
