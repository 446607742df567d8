import { InvalidInput } from '../../../domain/base/errors.ts';

/** Throws `InvalidInput` unless the field `confirmation` has the exact name of what will be lost. */
export function requireName(form: URLSearchParams, name: string, what: string): void {
  if ((form.get('confirmation') ?? '').trim() === name) return;
  throw new InvalidInput([
    { path: '/confirmation', message: `To confirm, enter the name of ${what} exactly: ${name}` },
  ]);
}
