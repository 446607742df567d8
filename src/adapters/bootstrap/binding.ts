import type { Container, ServiceIdentifier } from 'inversify';

/** Names something in the container, and knows its type. */
export type Token<T> = ServiceIdentifier<T>;

/** A plain `Symbol()` would lose the type, and a wrong binding would compile. */
export const token = <T>(name: string): Token<T> => Symbol(name);

type Tokens<D extends object> = { readonly [K in keyof D]: Token<D[K]> };

/** Binds one instance of a class that takes its dependencies as one object; a missing or wrong one does not compile. */
export function bindClass<T, D extends object>(
  container: Container,
  id: Token<T>,
  // oxlint-disable-next-line typescript/prefer-function-type -- a constructor, not a function
  Made: { new (deps: D): T },
  dependencies: Tokens<D>,
): void {
  const names = Object.keys(dependencies) as (keyof D)[];
  const make = (...values: unknown[]): T =>
    new Made(Object.fromEntries(names.map((name, index) => [name, values[index]])) as D);
  container
    .bind(id)
    .toResolvedValue(make, names.map((name) => dependencies[name]) as never)
    .inSingletonScope();
}

/** Binds one instance of a class that takes one dependency. */
export function bindOver<T, D>(
  container: Container,
  id: Token<T>,
  Made: new (dependency: D) => T,
  dependency: Token<D>,
): void {
  const make = (value: unknown): T => new Made(value as D);
  container
    .bind(id)
    .toResolvedValue(make as never, [dependency] as never)
    .inSingletonScope();
}

/** Gets several things out of the container as one object. */
export function pick<D extends object>(container: Container, wanted: Tokens<D>): D {
  const names = Object.keys(wanted) as (keyof D)[];
  return Object.fromEntries(names.map((name) => [name, container.get(wanted[name])])) as D;
}
