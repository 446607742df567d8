import type { ComponentChildren } from 'preact';
import type { Page } from '../../../../domain/base/page.ts';
import { grouped } from '../../../../domain/base/spans.ts';
import { Empty } from './empty.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';
import { Paging } from './paging.tsx';

/** For scripts. */
type DataAttributes = Readonly<Record<`data-${string}`, string | boolean>>;

/** How the cells of a column look; a heading is above its cells. */
type Kind = 'text' | 'line' | 'rest' | 'fill' | 'code' | 'number' | 'state' | 'time' | 'actions';

type OnPhone = 'label' | 'hide' | 'line';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `line`: text of one line, the rest in its tooltip; `rest`: the same, as wide as the other columns allow; `fill`: half of the table, so that the columns before it are close. `state` is at the end of the first line on a phone, and `actions` have a heading for screen readers only. */
  readonly kind?: Kind;
  readonly sort?: Sort | undefined;
  /** On a phone, also by row: `label` puts the heading before the value, `hide` leaves the cell out, `line` gives it a line. Numbers have their heading anyway. */
  readonly phone?: OnPhone | ((row: Row) => OnPhone);
  /** Leaves the column out of tables that are narrower, unless they have the layout of phones. */
  readonly from?: 'small' | 'medium' | 'wide';
}

export interface Sort {
  readonly href: string;
  /** Null: the table is in another order. */
  readonly direction: 'ascending' | 'descending' | null;
}

/** A window on a longer list; its filter stays in the address. */
export interface TablePaging {
  readonly found: Page<unknown>;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface DataTableProps<Row> {
  /** False leaves a column out. The first names the row. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  readonly keyOf?: (row: Row) => string | number;
  /** Instead of a table without rows: why it is empty, as text or an `Empty`. */
  readonly empty?: ComponentChildren;
  /** Rows beyond it are only counted. */
  readonly max?: number;
  readonly paging?: TablePaging | undefined;
  /** A box before each row, named `ids`, that belongs to the form with this id. `value`: instead of the row's key. */
  readonly select?:
    | {
        readonly form: string;
        readonly label: (row: Row) => string;
        readonly value?: (row: Row) => string | number;
      }
    | undefined;
  readonly rowAttributes?: (row: Row) => DataAttributes;
}

const CLASS_OF: Readonly<Record<Kind, string>> = {
  text: 'text',
  line: 'one-line',
  rest: 'one-line rest',
  fill: 'fill',
  code: 'mono text',
  number: 'number',
  state: 'state',
  time: 'time',
  actions: 'end',
};

/** Roles are written down because phones show rows as blocks, which would be no table to a screen reader. */
const ROLES = {
  table: { role: 'table' },
  row: { role: 'row' },
  head: { role: 'columnheader', scope: 'col' },
  cell: { role: 'cell' },
} as const;

/** Tables with no more of them fit beside another pane; only phones show their rows in two lines. */
const FEW_COLUMNS = 4;

/** Rows that a phone shows before you ask for the rest; `tables.css` hides the others. */
const PHONE_ROWS = 12;

/** Every table of the web UI: its columns are data. On a phone a row has two lines, its name and state, then the rest. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, paging, keyOf, select, max = Number.POSITIVE_INFINITY } = props;
  const columns = props.columns.filter((column) => column !== false);
  const shown = rows.slice(0, max);
  if (rows.length === 0 && props.empty !== undefined) {
    return (
      <>
        {typeof props.empty === 'string' ? <Empty>{props.empty}</Empty> : props.empty}
        {paging ? <Paging {...paging} /> : null}
      </>
    );
  }
  return (
    <>
      <div class="wide">
        <table {...ROLES.table} class={columns.length <= FEW_COLUMNS ? 'few' : undefined}>
          <thead>
            <tr {...ROLES.row}>
              {select ? <SelectAll form={select.form} /> : null}
              {columns.map((column) => (
                <Head key={column.head} column={column} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr
                key={keyOf?.(row) ?? index}
                id={select && keyOf ? `row-${keyOf(row)}` : undefined}
                {...ROLES.row}
                {...props.rowAttributes?.(row)}
              >
                {select && keyOf ? (
                  <Box form={select.form} value={(select.value ?? keyOf)(row)} label={select.label(row)} />
                ) : null}
                {columns.map((column, place) => (
                  <td key={column.head} {...ROLES.cell} {...cellAttributes(column, place, row)}>
                    {cellOf(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length > PHONE_ROWS ? (
          <label class="all-rows">
            <input type="checkbox" autocomplete="off" /> Show all {shown.length} rows
          </label>
        ) : null}
      </div>
      {rows.length > max ? <p class="quiet">and {rows.length - max} more</p> : null}
      {paging ? <Paging {...paging} /> : null}
    </>
  );
}

function cellOf<Row>({ kind, cell }: Column<Row>, row: Row): ComponentChildren {
  const content = cell(row);
  if (kind === 'line' || kind === 'rest') return <Line>{content}</Line>;
  return kind === 'number' && typeof content === 'number' ? grouped(content) : content;
}

const Line = ({ children }: { readonly children: ComponentChildren }) => (
  <span title={typeof children === 'string' ? children : undefined}>{children}</span>
);

function cellAttributes<Row>({ kind, head, from, ...column }: Column<Row>, place: number, row: Row) {
  const phone = typeof column.phone === 'function' ? column.phone(row) : column.phone;
  const classes = [
    place === 0 ? 'name' : '',
    kind === undefined ? '' : CLASS_OF[kind],
    phone === 'hide' ? 'desk' : '',
    phone === 'line' ? 'whole' : '',
    from ? `from-${from}` : '',
  ].filter(Boolean);
  return {
    class: classes.join(' ') || undefined,
    'data-label': place > 0 && (kind === 'number' || phone === 'label') ? head : undefined,
  };
}

function Head<Row>({ column: { head, kind, sort, from } }: { readonly column: Column<Row> }) {
  const classes = [kind === 'number' ? 'number' : '', from ? `from-${from}` : ''].filter(Boolean);
  const attributes = { ...ROLES.head, class: classes.join(' ') || undefined };
  if (kind === 'actions') {
    return (
      <th {...attributes}>
        <span class="hidden">{head}</span>
      </th>
    );
  }
  if (sort === undefined) return <th {...attributes}>{head}</th>;
  const { href, direction } = sort;
  return (
    <th {...attributes} aria-sort={direction ?? undefined}>
      <a class="sort" href={href}>
        {head}
        {direction === null ? null : (
          <span aria-hidden="true">{direction === 'descending' ? ' ↓' : ' ↑'}</span>
        )}
      </a>
    </th>
  );
}

/** Needs JavaScript: without it, the box is not there. */
const SelectAll = ({ form }: { readonly form: string }) => (
  <th {...ROLES.head} class="box">
    <label class="hit">
      <input type="checkbox" data-select-all={form} aria-label="Select all rows of this page" hidden />
    </label>
  </th>
);

interface BoxProps {
  readonly form: string;
  readonly value: string | number;
  readonly label: string;
}

const Box = ({ form, value, label }: BoxProps) => (
  <td {...ROLES.cell} class="box">
    <label class="hit">
      <input
        type="checkbox"
        name="ids"
        value={value}
        form={form}
        aria-label={`Select ${label}`}
        autocomplete="off"
      />
    </label>
  </td>
);

interface RowButtonProps {
  readonly action: string;
  readonly label: string;
  readonly icon?: IconName;
  /** The object of the action, for screen reader users. */
  readonly about: string;
  readonly danger?: boolean;
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly attributes?: DataAttributes;
}

/** A small form of one button, at the end of a row. */
export const RowButton = ({
  action,
  label,
  icon,
  about,
  danger = false,
  fields = {},
  attributes,
}: RowButtonProps) => (
  <form method="post" action={action} {...attributes}>
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <button type="submit" class={danger ? 'danger small' : 'quiet small'} aria-label={`${label}: ${about}`}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </button>
  </form>
);
