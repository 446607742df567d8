import type { ComponentChildren } from 'preact';

interface CardProps {
  readonly title: string;
  readonly id?: string;
  /** Beside the title, such as a count. */
  readonly note?: ComponentChildren;
  /** At the end of the title's line. */
  readonly actions?: ComponentChildren;
  /** A table or list, which has margins itself. */
  readonly flush?: boolean;
  readonly children: ComponentChildren;
}

/** One subject of a page, with its title. */
export const Card = ({ title, id, note, actions, flush = false, children }: CardProps) => (
  <section class="card" id={id} aria-label={title}>
    <header>
      <h2>{title}</h2>
      {note ? <span class="quiet">{note}</span> : null}
      {actions ? <div class="acts">{actions}</div> : null}
    </header>
    {flush ? children : <div class="body">{children}</div>}
  </section>
);
