import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface FoldProps {
  readonly title: string;
  readonly id?: string;
  /** What holds now, beside the title. */
  readonly note?: string;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

/** A card that shows its content on request. */
export const Fold = ({ title, id, note, open = false, children }: FoldProps) => (
  <details class="card fold" id={id} open={open}>
    <summary>
      <Icon name="chevron-right" />
      <h2>{title}</h2>
      {note === undefined ? null : <span class="quiet">{note}</span>}
    </summary>
    <div class="body">{children}</div>
  </details>
);
