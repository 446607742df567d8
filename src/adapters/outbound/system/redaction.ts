import { visibleText } from '../../../domain/base/visible-text.ts';

const HIDDEN = '[hidden]';

/** Field names, in lower case and without `_` and `-`, whose values are never logged. */
const SECRET_FIELDS = new Set([
  'apikey',
  'authorization',
  'cookie',
  'databaseurl',
  'masterkey',
  'passphrase',
  'password',
  'privatekey',
  'sealedprivatekey',
  'secret',
  'setcookie',
  'token',
  'xmetricstoken',
]);

/**
 * Secrets that are recognizable by their form: Drover's tokens, private keys, passwords in addresses. First a part
 * that each contains: a text without it, as nearly all are, skips the full search, which costs ten times as much.
 */
const SECRET_WORDS: readonly (readonly [string, RegExp, string])[] = [
  ['drv_', /drv_[0-9A-Za-z]{36}/g, `drv_${HIDDEN}`],
  ['-----BEGIN', /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  ['://', /(:\/\/[^\s:/@]{0,300}):[^\s/@]+@/g, `$1:${HIDDEN}@`],
];

const DEEPEST = 8;
const MAX_ENTRIES = 200;

/**
 * A log line's fields as plain JSON values: secrets removed, errors written out, the rest bounded. They are copied
 * only if something changes.
 */
export function withoutSecrets(fields: object): object {
  if (isHarmless(fields)) return fields;
  if (fields instanceof Error) return { error: cleaned(fields, DEEPEST) };
  const clean = cleaned(fields, DEEPEST);
  return typeof clean === 'object' && clean !== null ? clean : { value: clean };
}

/** Whether nothing has to be removed or written out, as for each request's line. */
function isHarmless(fields: object): boolean {
  if (Object.getPrototypeOf(fields) !== Object.prototype) return false;
  let entries = 0;
  for (const name in fields) {
    entries += 1;
    const value: unknown = fields[name as keyof typeof fields];
    if (entries > MAX_ENTRIES || name === '__proto__') return false;
    if (value === null) continue;
    if (isSecretField(name)) return false;
    if (typeof value === 'number' || typeof value === 'boolean') continue;
    if (typeof value !== 'string' || withoutSecretWords(value) !== value) return false;
  }
  return true;
}

/** Also without invisible characters: hosts may have written it. */
export function withoutSecretWords(text: string): string {
  let clean = visibleText(text);
  for (const [part, pattern, replacement] of SECRET_WORDS) {
    if (clean.includes(part)) clean = clean.replace(pattern, replacement);
  }
  return clean;
}

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutSecretWords(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[too deep]';
  if (value instanceof Error) return errorFields(value, depth);
  if (hasToJson(value)) return cleaned(value.toJSON(), depth - 1);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return cleaned([...value], depth);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => cleaned(entry, depth - 1));
  return cleanedFields(value, depth);
}

function cleanedFields(value: object, depth: number): object {
  const clean: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value).slice(0, MAX_ENTRIES)) {
    // Setting it would change the object's prototype.
    if (name === '__proto__') continue;
    const hide = isSecretField(name) && entry !== null && entry !== undefined;
    clean[name] = hide ? HIDDEN : cleaned(entry, depth - 1);
  }
  return clean;
}

function errorFields(error: Error, depth: number): object {
  const { name, message, stack, cause, ...rest } = error;
  const code = (error as { code?: unknown }).code;
  return {
    ...(cleaned(rest, depth - 1) as object),
    type: name,
    ...(code === undefined ? {} : { code: cleaned(code, depth - 1) }),
    message: withoutSecretWords(message),
    ...(stack === undefined ? {} : { stack: withoutSecretWords(stack) }),
    ...(cause === undefined ? {} : { cause: cleaned(cause, depth - 1) }),
  };
}

/** Which names are secret: a program has few, and each line asks for the same ones. */
const knownFields = new Map<string, boolean>();
const MAX_KNOWN = 1_000;

function isSecretField(name: string): boolean {
  const known = knownFields.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_FIELDS.has(name.toLowerCase().replace(/[_-]/g, ''));
  if (knownFields.size >= MAX_KNOWN) knownFields.clear();
  knownFields.set(name, secret);
  return secret;
}

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function' && !Buffer.isBuffer(value);
