import {
  type DomainError,
  type ErrorCode,
  type InputProblem,
  InvalidInput,
  isDomainError,
} from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { FormState } from './components/form.tsx';
import type { SignedInVisit, WebReply, WebRoute } from './route.ts';

/** Runs a form's action. On a refusal the form is shown again with input and errors; other errors are rethrown. */
export async function submit(
  typed: URLSearchParams,
  work: () => Promise<WebReply>,
  again: (state: FormState, error: DomainError) => WebReply | Promise<WebReply>,
): Promise<WebReply> {
  try {
    return await work();
  } catch (error) {
    if (!isDomainError(error) || NOT_OF_THE_FORM.has(error.code)) throw error;
    const { problems } = error;
    return again({ typed, problems, fault: problems.length > 0 ? null : error.message }, error);
  }
}

type SignedInRoute = Extract<WebRoute, { readonly confirm?: true }>;

/** The same as a route, of administrators unless it says otherwise. */
export const formRoute = (
  path: string,
  work: (visit: SignedInVisit) => Promise<WebReply>,
  again: (visit: SignedInVisit, state: FormState, error: DomainError) => WebReply | Promise<WebReply>,
  options: Partial<Omit<SignedInRoute, 'method' | 'path' | 'handle'>> = {},
): WebRoute => ({
  method: 'POST',
  path,
  needs: 'administrator',
  ...options,
  handle: (visit) =>
    submit(
      visit.form,
      () => work(visit),
      (state, error) => again(visit, state, error),
    ),
});

const NOT_OF_THE_FORM: ReadonlySet<string> = new Set([
  'not_signed_in',
  'confirmation_needed',
  'role_missing',
  'own_machine_restricted',
  'origin_not_allowed',
  'database_unavailable',
  'internal',
]);

/** Shows a refusal with this code at the field that caused it. */
export async function blaming<T>(
  fields: Partial<Readonly<Record<ErrorCode, string>>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const path = isDomainError(error) ? fields[error.code] : undefined;
    // An error with a field is shown there.
    if (path === undefined || (isDomainError(error) && error.problems.length > 0)) throw error;
    throw new InvalidInput([{ path, message: (error as Error).message }]);
  }
}

/** Runs its work, or adds its errors to the existing ones: a form shows all errors together. */
export async function noting<T>(problems: InputProblem[], work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!isDomainError(error) || error.problems.length === 0) throw error;
    problems.push(...error.problems);
    return null;
  }
}

/** The lines of a field that takes several, without empty ones. */
export const linesOf = (form: URLSearchParams, name: string): readonly string[] =>
  (form.get(name) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The text of a field without the blanks around it. */
export const textOf = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim();

/** Irreversible actions require the object's name in the field `confirm`. Throws `InvalidInput`. */
export function requireName(form: URLSearchParams, name: string, to: string): void {
  if (textOf(form, 'confirm') === name) return;
  throw new InvalidInput([{ path: '/confirm', message: `Type ${name} to ${to}.` }]);
}

/** NaN unless it is an integer. */
export const numberOf = (form: URLSearchParams, name: string): number => {
  const text = textOf(form, name);
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
};

/** A path of this service to continue to, from a query or a form; `/` for anything else. */
export function nextPath(raw: string | null): string {
  if (raw === null || !raw.startsWith('/') || raw.startsWith('//') || /[\\\s]/.test(raw)) return '/';
  return raw;
}

/** A list, separated by blanks or commas, or from checkboxes. */
export const listOf = (form: URLSearchParams, name: string): readonly string[] =>
  form.getAll(name).flatMap((text) => text.split(/[\s,]+/).filter(Boolean));

/** A number from an address; `null` for anything else. */
export const idOf = (raw: string | undefined): number | null =>
  raw !== undefined && /^[1-9]\d{0,14}$/.test(raw) ? Number(raw) : null;

/** The start of a day in UTC; null: none is given. A wrong one is added to the problems. */
export function dayOf(query: URLSearchParams, name: string, problems: InputProblem[]): Instant | null {
  const raw = (query.get(name) ?? '').trim();
  if (raw === '') return null;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(raw) ? Date.parse(`${raw}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  problems.push({ path: `/${name}`, message: 'Enter a day, such as 2026-11-20.' });
  return null;
}
