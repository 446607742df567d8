import type { ComponentChildren } from 'preact';
import type { InputProblem } from '../../../../domain/base/errors.ts';
import { count } from '../../../../domain/base/spans.ts';
import { LocalTimes } from './time.tsx';

/** Input and errors: a form that is shown again keeps the input and marks the errors. */
export interface FormState {
  readonly typed: URLSearchParams;
  readonly problems: readonly InputProblem[];
  /** An error that belongs to no field. */
  readonly fault: string | null;
}

export const NEW_FORM: FormState = { typed: new URLSearchParams(), problems: [], fault: null };

const isAt = (path: string) => (problem: InputProblem) =>
  problem.path === path || problem.path.startsWith(`${path}/`);

export const problemAt = (state: Pick<FormState, 'problems'>, path: string): string | null => {
  const found = state.problems.filter(isAt(path));
  return found.length === 0 ? null : found.map(({ message }) => message).join(' ');
};

const firstAt = ({ problems }: FormState): InputProblem | undefined =>
  problems.find(({ path }) => path !== '');

/** The links of a form to its errors lead to such ids; undefined: the field has none. */
function anchorOf({ problems }: FormState, path: string): string | undefined {
  const found = problems.find(isAt(path));
  return found === undefined ? undefined : `at${found.path}`;
}

/** The first field that is wrong has the focus; without errors the field that asks for it. */
const hasFocus = (state: FormState, path: string, otherwise = false): boolean =>
  firstAt(state) === undefined ? otherwise : anchorOf(state, path) === `at${firstAt(state)?.path}`;

interface FieldProps {
  readonly state: FormState;
  readonly name: string;
  readonly label: string;
  /** The label is for screen readers: the placeholder says it, too. */
  readonly isBare?: boolean;
  /** The pointer of its problems; by default a slash and the name. */
  readonly path?: string;
  readonly help?: ComponentChildren;
  /** `lines`: several lines of text. */
  readonly type?: 'text' | 'password' | 'date' | 'time' | 'lines';
  readonly value?: string;
  readonly placeholder?: string;
  /** The id of a datalist. */
  readonly list?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric';
  readonly focus?: boolean;
  /** The address of a live check while the user types. */
  readonly check?: string;
  /** A time zone: a new form has the browser's, others have it as the example. */
  readonly zone?: 'value' | 'placeholder';
}

/** Text with its label above, help below and its fault in words. A password is never sent back. */
export function Field(props: FieldProps) {
  const { state, name, type = 'text', required = true } = props;
  const path = props.path ?? `/${name}`;
  const fault = problemAt(state, path);
  const attributes = {
    ...attributesOf(name, fault, props.help),
    required,
    placeholder: props.placeholder,
    autocomplete: props.autocomplete ?? 'off',
    inputmode: props.inputmode,
    'data-time-zone': state.typed.has(name) ? undefined : props.zone,
    autofocus: hasFocus(state, path, props.focus),
    spellcheck: false,
    autocapitalize: 'none',
  } as const;
  return (
    <Labelled {...props} fault={fault} anchor={anchorOf(state, path)}>
      <Input
        type={type}
        list={props.list}
        value={state.typed.get(name) ?? props.value ?? ''}
        attributes={{ ...attributes, ...(props.check === undefined ? {} : liveCheck(props.check, name)) }}
      />
    </Labelled>
  );
}

interface SelectProps extends Pick<FieldProps, 'state' | 'name' | 'label' | 'path' | 'help' | 'value'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A choice of one from a list. */
export function Select(props: SelectProps) {
  const { state, name, options } = props;
  const path = props.path ?? `/${name}`;
  const fault = problemAt(state, path);
  const chosen = state.typed.get(name) ?? props.value ?? '';
  return (
    <Labelled {...props} fault={fault} anchor={anchorOf(state, path)}>
      <select {...attributesOf(name, fault, props.help)} autofocus={hasFocus(state, path)}>
        {options.map(({ value, label }) => (
          <option key={value} value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function attributesOf(name: string, fault: string | null, help: ComponentChildren) {
  const describedBy = [help ? `${name}-help` : null, fault === null ? null : `${name}-fault`].filter(Boolean);
  return {
    id: name,
    name,
    'aria-invalid': fault === null ? undefined : true,
    'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
  } as const;
}

function Labelled({
  name,
  label,
  isBare,
  help,
  check,
  fault,
  anchor,
  children,
}: Pick<FieldProps, 'name' | 'label' | 'isBare' | 'help' | 'check'> & {
  readonly fault: string | null;
  readonly anchor: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={fault === null ? 'field' : 'field wrong'} id={anchor}>
      <label for={name} class={isBare ? 'hidden' : undefined}>
        {label}
      </label>
      {children}
      {help ? (
        <p class="help" id={`${name}-help`}>
          {help}
        </p>
      ) : null}
      {check === undefined ? null : <div id={`${name}-check`} role="status" />}
      <Fault id={`${name}-fault`} text={fault} />
    </div>
  );
}

/** Browsers have AM and PM in their own fields of times, as the system has; all other times are of 24 hours. */
const CLOCK = {
  pattern: '([01]\\d|2[0-3]):[0-5]\\d',
  maxlength: 5,
  placeholder: 'HH:MM',
  title: 'Hours and minutes, with 24 hours a day',
} as const;

interface InputProps {
  readonly type: NonNullable<FieldProps['type']>;
  readonly value: string;
  readonly attributes: object;
  readonly list: string | undefined;
}

function Input({ type, value, attributes, list }: InputProps) {
  if (type === 'password')
    return (
      <div class="secret">
        <input type="password" {...attributes} />
        <button type="button" class="quiet" data-show hidden>
          Show
        </button>
      </div>
    );
  if (type === 'date') return <input type="date" {...attributes} value={value} />;
  if (type === 'time') return <input type="text" class="clock" {...attributes} {...CLOCK} value={value} />;
  if (type === 'lines')
    return <textarea rows={Math.max(3, value.split('\n').length)} {...attributes} value={value} />;
  return <input type="text" list={list} {...attributes} value={value} />;
}

const liveCheck = (path: string, name: string) => ({
  'hx-post': path,
  'hx-trigger': 'input changed delay:400ms',
  'hx-target': `#${name}-check`,
  'hx-swap': 'innerHTML',
});

/** The result of a live check. */
export const Checked = ({ good, children }: { readonly good: boolean; readonly children: string }) => (
  <p class={good ? 'help' : 'fault'}>
    {good ? '✓ ' : ''}
    {children}
  </p>
);

function Fault({ id, text }: { readonly id: string; readonly text: string | null }) {
  if (text === null) return null;
  return (
    <p class="fault" id={id}>
      <LocalTimes text={text} />
    </p>
  );
}

interface Choice {
  readonly value: string;
  readonly label: ComponentChildren;
  readonly help?: ComponentChildren;
}

interface ChoicesProps {
  readonly state: FormState;
  readonly name: string;
  readonly legend: string;
  readonly type: 'checkbox' | 'radio';
  readonly choices: readonly Choice[];
  /** Those that are chosen before anything was. */
  readonly chosen: readonly string[];
  readonly help?: ComponentChildren;
  /** As of a field. */
  readonly path?: string;
  /** Shown as cards beside each other. */
  readonly cards?: boolean;
}

/** A group of checkboxes or radio buttons, each with its explanation. */
export function Choices({
  state,
  name,
  legend,
  type,
  choices,
  chosen,
  help,
  path = `/${name}`,
  cards = false,
}: ChoicesProps) {
  const fault = problemAt(state, path);
  const typed = state === NEW_FORM || state.typed.size === 0 ? chosen : state.typed.getAll(name);
  return (
    <fieldset
      class={fault === null ? 'field' : 'field wrong'}
      id={anchorOf(state, path)}
      aria-describedby={fault === null ? undefined : `${name}-fault`}
    >
      <legend>{legend}</legend>
      {help ? <p class="help">{help}</p> : null}
      <div class={cards ? 'choice-cards' : undefined}>
        {choices.map(({ value, label, help: more }) => (
          <label key={value} class="choice">
            <input type={type} name={name} value={value} checked={typed.includes(value)} />
            <span>
              {label}
              {more ? <span class="help">{more}</span> : null}
            </span>
          </label>
        ))}
      </div>
      <Fault id={`${name}-fault`} text={fault} />
    </fieldset>
  );
}

/** Errors of the form as a whole, before its fields. */
export function FormFault({ state }: { readonly state: FormState }) {
  // Errors without a field have no other place.
  const whole = state.problems.filter(({ path }) => path === '').map(({ message }) => message);
  const fields = new Map(state.problems.filter(({ path }) => path !== '').map((one) => [one.path, one]));
  const loose = state.fault ?? whole.join(' ');
  if (loose === '' && fields.size === 0) return null;
  return (
    <div class="notice bad" role="alert">
      {loose === '' ? null : (
        <p>
          <LocalTimes text={loose} />
        </p>
      )}
      {fields.size === 0 ? null : (
        <>
          <p>{`Fix ${count(fields.size, 'field')} to continue:`}</p>
          <ul>
            {[...fields.values()].map(({ path, message }) => (
              <li key={path}>
                <a href={`#at${path}`}>
                  <LocalTimes text={message} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
