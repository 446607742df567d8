import type { ComponentChildren } from 'preact';
import { grouped } from '../../../../domain/base/spans.ts';
import { type FormState, NEW_FORM, problemAt } from './form.tsx';

interface Chip {
  /** Of the parameter; empty: all. */
  readonly value: string;
  readonly label: string;
  readonly count?: number | undefined;
  /** Also if it finds nothing now: the row stays as it is while you search. */
  readonly stays?: boolean;
}

interface FilterBarProps {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly search: {
    readonly name: string;
    readonly label: string;
    readonly placeholder: string;
  };
  /** Links that set one parameter. The one that is set is marked; those that find nothing are left out. */
  readonly chips?: {
    readonly name: string;
    readonly options: readonly Chip[];
    /** Other values that the list knows. */
    readonly known?: readonly string[];
  };
  /** Fields behind "More filters", and the parameters that they set. */
  readonly more?: {
    readonly names: readonly string[];
    readonly fields: ComponentChildren;
    /** One of them was refused. */
    readonly isWrong?: boolean;
  };
  /** Other parameters that a search keeps, such as the order. */
  readonly keep?: readonly string[];
}

/** What a list shows: a search, chips with counts, and the rest behind "More filters". All of it is in the address. */
export function FilterBar({ path, query, search, chips, more, keep = [] }: FilterBarProps) {
  const set = more?.names.filter((name) => (query.get(name) ?? '') !== '') ?? [];
  const kept = [...keep, ...(chips ? [chips.name] : [])].filter((name) => query.get(name));
  // The chip "All" takes back another one.
  const stays = new Set([...keep, chips?.name, ...PLACES]);
  const known = new Set([...stays, search.name, ...(more?.names ?? [])]);
  return (
    <form method="get" action={path} class="filter-bar" role="search">
      <input
        type="search"
        name={search.name}
        value={query.get(search.name) ?? ''}
        placeholder={search.placeholder}
        aria-label={search.label}
        data-search
        hx-get={path}
        hx-trigger="input changed delay:250ms"
        hx-include="closest form"
        hx-select="main"
        hx-target="main"
        hx-swap="outerMorph"
        hx-push-url="true"
      />
      {kept.map((name) => (
        <input key={name} type="hidden" name={name} value={query.get(name) ?? ''} />
      ))}
      {chips ? <Chips {...chips} path={path} query={query} /> : null}
      {more ? (
        <MoreFilters set={set.length} isOpen={more.isWrong}>
          {more.fields}
        </MoreFilters>
      ) : null}
      {[...query].map(([name, value]) =>
        value === '' || known.has(name) ? null : <Unknown key={name} filter={`${name}=${value}`} />,
      )}
      {[...query].some(([name, value]) => value !== '' && !stays.has(name)) ? (
        <a class="button quiet small" href={path}>
          Show all
        </a>
      ) : null}
      <noscript>
        <button type="submit">Search</button>
      </noscript>
    </form>
  );
}

/** Fields that are behind a button; on a phone in a sheet, so that the list stays in its place. */
export const MoreFilters = ({
  set,
  isOpen = false,
  children,
}: {
  /** How many of them have a value. */
  readonly set: number;
  readonly isOpen?: boolean | undefined;
  readonly children: ComponentChildren;
}) => (
  <details class="more-filters" open={isOpen}>
    <summary>More filters{set === 0 ? '' : ` (${set})`}</summary>
    <div class="filter">
      {children}
      <button type="submit" class="quiet">
        Apply
      </button>
    </div>
  </details>
);

/** Parameters of lists that filter nothing. */
const PLACES = ['offset', 'sort'];

/** A filter of an old or mistyped address: the list is not what it promised. */
const Unknown = ({ filter }: { readonly filter: string }) => (
  <span class="fault" role="status">
    Unknown filter: {filter}
  </span>
);

export function Chips({
  name,
  options,
  path,
  query,
  known = [],
  isAlwaysShown = false,
}: NonNullable<FilterBarProps['chips']> &
  Pick<FilterBarProps, 'path' | 'query'> & {
    /** Also chips that find nothing: they are tabs. */
    readonly isAlwaysShown?: boolean;
  }) {
  const chosen = query.get(name) ?? '';
  const isUnknown =
    chosen !== '' && !known.includes(chosen) && options.every(({ value }) => value !== chosen);
  return (
    <>
      <ul class="chips">
        {options
          .filter(
            ({ value, count, stays }) =>
              isAlwaysShown || stays || value === '' || value === chosen || count !== 0,
          )
          .map(({ value, label, count }) => (
            <li key={value}>
              <a
                class="chip"
                href={withParameter(path, query, name, value)}
                aria-current={value === chosen ? 'true' : undefined}
              >
                {label} {count === undefined ? null : <span class="n">{grouped(count)}</span>}
              </a>
            </li>
          ))}
      </ul>
      {isUnknown ? (
        <>
          <Unknown filter={chosen} />
          <a class="button quiet small" href={withParameter(path, query, name, '')}>
            Show all
          </a>
        </>
      ) : null}
    </>
  );
}

/** The same list, from its start, with one parameter changed. */
function withParameter(path: string, query: URLSearchParams, name: string, value: string): string {
  const next = new URLSearchParams(query);
  next.delete('offset');
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next.size === 0 ? path : `${path}?${next}`;
}

interface ChoiceProps {
  readonly query: URLSearchParams;
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A choice among the filters. */
export const FilterChoice = ({ query, name, label, options }: ChoiceProps) => (
  <span class="pair">
    <label for={name}>{label}</label>
    <select id={name} name={name}>
      <option value="">any</option>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === query.get(name)}>
          {option.label}
        </option>
      ))}
    </select>
    <UnknownChoice {...{ query, name, options }} />
  </span>
);

function UnknownChoice({ query, name, options }: Omit<ChoiceProps, 'label'>) {
  const chosen = query.get(name) ?? '';
  return chosen === '' || options.some(({ value }) => value === chosen) ? null : <Unknown filter={chosen} />;
}

interface FilterFieldProps extends Omit<ChoiceProps, 'options'> {
  readonly type?: 'text' | 'date';
  readonly placeholder?: string;
  /** The id of `Options`. */
  readonly list?: string;
  /** A filter that was refused: its faults are beside the fields. */
  readonly state?: Pick<FormState, 'problems'>;
}

export function FilterField({
  query,
  name,
  label,
  type = 'text',
  placeholder,
  list,
  state = NEW_FORM,
}: FilterFieldProps) {
  const fault = problemAt(state, `/${name}`);
  const attributes = {
    id: name,
    name,
    value: query.get(name) ?? '',
    'aria-invalid': fault === null ? undefined : true,
    'aria-describedby': fault === null ? undefined : `${name}-fault`,
  } as const;
  return (
    <span class={fault === null ? 'pair' : 'pair wrong'}>
      <label for={name}>{label}</label>
      {type === 'date' ? (
        <input type="date" {...attributes} />
      ) : (
        <input type="text" {...attributes} placeholder={placeholder} list={list} />
      )}
      {fault === null ? null : (
        <span class="fault" id={`${name}-fault`}>
          {fault}
        </span>
      )}
    </span>
  );
}
