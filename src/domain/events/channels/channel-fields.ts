import { DomainError, type InputProblem, InvalidInput } from '../../base/errors.ts';
import { oneLine } from '../../base/one-line.ts';
import { isIpLiteral, outboundFault } from '../outbound-address.ts';
import { webhookUrl } from '../webhook.ts';
import type { ChannelField, FieldValues } from './channel-kind.ts';
import type { ChannelKind } from './channel-kinds.ts';

const MAX_VALUE = 2_048;
const HOST =
  /^(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$/;
const PRIVATE_HINT = '; allow private addresses for this channel if it is in your own network';

interface FieldInput {
  /** By the names of fields. Absent: unchanged; empty: none, but a secret stays as it is. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly allowPrivate: boolean;
  /** The values so far. */
  readonly before?: FieldValues;
}

/**
 * The values of all fields after a change. A new destination gets none of the secrets of the previous one. Throws
 * `InvalidInput`, naming the fields.
 */
export function channelValues(
  kind: ChannelKind,
  { values, allowPrivate, before = {} }: FieldInput,
): FieldValues {
  const problems: InputProblem[] = Object.keys(values)
    .filter((name) => !kind.fields.some((field) => field.name === name))
    .map((name) => ({
      path: `/${name.slice(0, 40)}`,
      message: `${kind.title} has no such field; its fields are ${kind.fields.map((field) => field.name).join(', ')}.`,
    }));
  const moved = kind.fields.some(
    (field) => isPlace(field) && isChanged(values[field.name], before[field.name]),
  );
  const entries = kind.fields.flatMap((field): [string, string][] => {
    const given = values[field.name]?.trim();
    const kept = field.secret && moved ? undefined : before[field.name];
    const stays = given === undefined || (given === '' && field.secret);
    const value = stays ? (kept ?? '') : given;
    if (value === '') {
      if (!field.optional) problems.push({ path: `/${field.name}`, message: missing(field, before) });
      return [];
    }
    const fault = faultOf(field, value, allowPrivate);
    if (fault !== null) problems.push({ path: `/${field.name}`, message: fault });
    return [[field.name, value]];
  });
  const all = Object.fromEntries(entries);
  if ('problems' in kind && problems.length === 0) problems.push(...(kind.problems?.(all) ?? []));
  if (problems.length > 0) throw new InvalidInput(problems);
  return all;
}

/** Secrets are sent to the destination that they were entered for. */
const isPlace = ({ type, secret }: ChannelField): boolean =>
  secret !== true && (type === 'url' || type === 'host' || type === 'port');

const isChanged = (given: string | undefined, before: string | undefined): boolean =>
  given !== undefined && given.trim() !== (before ?? '');

const missing = (field: ChannelField, before: FieldValues): string =>
  before[field.name] === undefined
    ? `${field.label} is required.`
    : 'Enter it again: the server of this channel has changed.';

function faultOf(field: ChannelField, value: string, allowPrivate: boolean): string | null {
  if (value.length > MAX_VALUE) return `At most ${MAX_VALUE} characters.`;
  if (oneLine(value, MAX_VALUE) !== value) return 'One line without control characters.';
  if (field.choices && !field.choices.some((choice) => choice.value === value))
    return `Choose one of ${field.choices.map((choice) => choice.value).join(', ')}.`;
  if (field.form && !field.form.pattern.test(value)) return field.form.message;
  if (field.type === 'url') return urlFault(value, allowPrivate);
  if (field.type === 'host') return hostFault(value, allowPrivate);
  if (field.type === 'port' && !(/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535))
    return 'A port is a number from 1 to 65535.';
  return null;
}

function urlFault(value: string, allowPrivate: boolean): string | null {
  try {
    webhookUrl(value, { allowPrivate, hint: PRIVATE_HINT });
    return null;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems.map(({ message }) => message).join(' ');
  }
}

function hostFault(value: string, allowPrivate: boolean): string | null {
  if (!isIpLiteral(value))
    return HOST.test(value) ? null : 'A host name or IP address, without https:// and port.';
  const fault = outboundFault(value, { allowPrivate });
  return fault === null
    ? null
    : `${value} ${fault}${outboundFault(value, { allowPrivate: true }) === null ? PRIVATE_HINT : ''}.`;
}

/** With the values that empty fields stand for. */
export const withDefaults = (kind: ChannelKind, values: FieldValues): FieldValues => ({
  ...Object.fromEntries(
    kind.fields.flatMap(({ name, otherwise }) => (otherwise === undefined ? [] : [[name, otherwise]])),
  ),
  ...values,
});

/** The values that may be shown, and those that are encrypted. */
export function splitValues(
  kind: ChannelKind,
  values: FieldValues,
): { readonly fields: FieldValues; readonly secrets: FieldValues } {
  const part = (secret: boolean): FieldValues =>
    Object.fromEntries(
      kind.fields.flatMap((field) => {
        const value = values[field.name];
        return (field.secret ?? false) === secret && value !== undefined ? [[field.name, value]] : [];
      }),
    );
  return { fields: part(false), secrets: part(true) };
}

export const channelNotFound = (what: string): DomainError =>
  new DomainError('channel_not_found', `There is no channel ${what}.`);
