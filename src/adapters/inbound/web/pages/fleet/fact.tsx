import type { ComponentChildren } from 'preact';

/** One of the tiles that tell what something is: a name, and what there is to say. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
