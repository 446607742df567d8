import type { ComponentChildren } from 'preact';

/** A fact's tile: a name and a value. */
export function Fact({
  name,
  desk = false,
  children,
}: {
  readonly name: string;
  /** Not on phones. */
  readonly desk?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={desk ? 'desk' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
