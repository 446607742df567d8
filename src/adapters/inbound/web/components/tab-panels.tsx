import type { ComponentChildren } from 'preact';

interface Panel {
  readonly id: string;
  readonly label: string;
  readonly count?: number | undefined;
  readonly body: ComponentChildren;
}

interface TabPanelsProps {
  readonly label: string;
  readonly panels: readonly Panel[];
  /** The id of the panel that is open. */
  readonly open: string;
  /** The id of the panel that opens once what the page follows has ended. */
  readonly after?: string | undefined;
}

/** Parts of a page, one at a time. Without JavaScript all of them are there, and the tabs lead to them. */
export const TabPanels = ({ label, panels, open, after }: TabPanelsProps) => (
  <>
    <nav class="tabs" aria-label={label} data-panels={after ?? ''}>
      {panels.map(({ id, label: name, count }) => (
        <a key={id} href={`#${id}`} aria-current={id === open ? 'true' : undefined}>
          {name} {count ? <span class="count">{count}</span> : null}
        </a>
      ))}
    </nav>
    {panels.map(({ id, label: name, body }) => (
      <section key={id} id={id} class="panel" aria-label={name} data-idle={id === open ? undefined : ''}>
        {body}
      </section>
    ))}
  </>
);
