import { InvalidInput } from '../base/errors.ts';

/** A valid Compose service name; one with a leading "-" would be read as an option. */
const SERVICE = /^(?!-)[a-zA-Z0-9._-]{1,200}$/;
/** As compose makes project names out of directories. */
const PROJECT = /^[a-z0-9][a-z0-9_-]{0,200}$/;
/** Registry, path, tag and digest, as the reference grammar of the distribution project allows. */
const IMAGE = /^(?!.*(?:\.\.|\/\/))[a-zA-Z0-9][a-zA-Z0-9._:/@-]{0,400}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const STAGED_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const MAX_PATH = 1_000;

export const isService = (text: string): boolean => SERVICE.test(text);
export const isProject = (text: string): boolean => PROJECT.test(text);
export const isImage = (text: string): boolean => IMAGE.test(text);
export const isDigest = (text: string): boolean => DIGEST.test(text);
export const isStagedId = (text: string): boolean => STAGED_ID.test(text);

/** Absolute, without anything that could end a line, lead elsewhere or be invisible. */
export function isPath(text: string): boolean {
  const isPlain = text.length <= MAX_PATH && !/[\p{C}\p{Zl}\p{Zp}\ufffd]/u.test(text);
  return isPlain && text.startsWith('/') && !text.split('/').some((part) => part === '..' || part === '.');
}

/** A name below a project's directory. */
export const isFileName = (text: string): boolean =>
  isPath(`/${text}`) && !text.startsWith('/') && !/(^|\/)(-|$|\/)/.test(text) && text.length <= 200;

/** Throws `invalid_input` for an order that must not reach a host. */
export function check(is: (text: string) => boolean, text: string, what: string): string {
  if (is(text)) return text;
  throw new InvalidInput([
    {
      path: '',
      message: `${what} ${JSON.stringify(text.slice(0, 100))} contains invalid characters.`,
    },
  ]);
}
