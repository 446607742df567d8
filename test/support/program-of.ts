import { type AllParts, type Makers, Program } from '../../src/adapters/bootstrap/program.ts';
import type { PartClass, SharedClasses, UseCases } from '../../src/application/base/parts.ts';
import { SHARED } from '../../src/application/base/shared-classes.ts';

/** Something in place of a use case. */
export type Stub = readonly [PartClass<unknown>, object];

/** The real classes over such ports, with single ones replaced. */
export function programOf(
  ports: Partial<AllParts>,
  stubs: readonly Stub[] = [],
  shared: Partial<SharedClasses> = SHARED,
): UseCases & { readonly parts: AllParts } {
  const makers = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, () => port]));
  const program = new Program(makers as unknown as Makers, shared);
  const replaced = new Map<unknown, unknown>(stubs);
  return {
    parts: program.parts,
    get: <T>(wanted: PartClass<T>) => (replaced.get(wanted) as T | undefined) ?? program.get(wanted),
  };
}
