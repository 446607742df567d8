import { splitValues } from '../../../../../domain/events/channels/channel-fields.ts';
import type { ChannelField, FieldValues } from '../../../../../domain/events/channels/channel-kind.ts';
import { type ChannelKind, sendsEvents } from '../../../../../domain/events/channels/channel-kinds.ts';
import type { ChannelTiming } from '../../../../../domain/events/channels/channel-timing.ts';
import type { EventFilter } from '../../../../../domain/events/event-filter.ts';
import { Choices, Field, type FormState, Select } from '../../components/form.tsx';
import { ChannelTimingFields } from './channel-timing-fields.tsx';
import { FilterFields } from './event-filter.tsx';

interface Props {
  readonly state: FormState;
  readonly kind: ChannelKind;
  readonly name: string;
  /** Without secrets. */
  readonly fields: FieldValues;
  readonly filter: EventFilter;
  readonly timing: ChannelTiming;
  readonly allowPrivate: boolean;
  /** The channel exists: an empty secret stays as it is. */
  readonly exists?: boolean;
}

/** The fields of a channel of a kind. */
export const ChannelFields = ({
  state,
  kind,
  name,
  fields,
  filter,
  timing,
  allowPrivate,
  exists = false,
}: Props) => (
  <>
    <Field state={state} name="name" label="Name" value={name} help="Letters, digits and . _ -" focus />
    {kind.fields.map((field) => (
      <KindField key={field.name} state={state} field={field} value={fields[field.name]} exists={exists} />
    ))}
    <Choices
      state={state}
      name="allow_private"
      legend="Private addresses"
      type="checkbox"
      chosen={allowPrivate ? ['on'] : []}
      choices={[
        {
          value: 'on',
          label: 'Allow private addresses for this channel',
          help: 'Select this if the server is in your own network. Drover then connects to loopback and private addresses for this channel.',
        },
      ]}
    />
    {sendsEvents(kind) ? (
      <>
        <FilterFields state={state} filter={filter} />
        <ChannelTimingFields state={state} timing={timing} exists={exists} />
      </>
    ) : null}
  </>
);

function KindField({
  state,
  field,
  value,
  exists,
}: {
  readonly state: FormState;
  readonly field: ChannelField;
  readonly value: string | undefined;
  readonly exists: boolean;
}) {
  const { name, label, help, secret = false, optional = false, choices, otherwise } = field;
  if (choices)
    return (
      <Select
        state={state}
        name={name}
        label={label}
        help={help}
        value={value ?? otherwise ?? ''}
        options={choices}
      />
    );
  const keeps = secret && exists;
  return (
    <Field
      state={state}
      name={name}
      label={label}
      help={keeps ? `${help} Empty: no change.` : help}
      type={secret ? 'password' : 'text'}
      required={!optional && !keeps}
      autocomplete={secret ? 'new-password' : 'off'}
      {...(value === undefined ? {} : { value })}
      {...(otherwise === undefined ? {} : { placeholder: otherwise })}
    />
  );
}

/** The values of a form by the names of the kind's fields. */
export const valuesOf = (form: URLSearchParams, kind: ChannelKind): Readonly<Record<string, string>> =>
  Object.fromEntries(kind.fields.map(({ name }) => [name, form.get(name) ?? '']));

/** The fields that may be shown, with their labels. */
export const shownFields = (kind: ChannelKind, values: FieldValues): readonly (readonly [string, string])[] =>
  Object.entries(splitValues(kind, values).fields).map(([name, value]) => [
    kind.fields.find((field) => field.name === name)?.label ?? name,
    value,
  ]);
