import { type ComponentChildren, toChildArray } from 'preact';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

interface RowActionsProps {
  /** The object of the row, for screen reader users; unique in the table. */
  readonly about: string;
  /** Actions that have a button; the others are in the menu at the end. */
  readonly buttons?: number | undefined;
  /** `Way` and `RowButton`, the most frequent first. */
  readonly children: ComponentChildren;
}

/** The actions of a row: small buttons, and a menu if there are more. */
export function RowActions({ about, buttons = 2, children }: RowActionsProps) {
  const all = toChildArray(children);
  if (all.length === 0) return null;
  return (
    <div class="row">
      {all.slice(0, buttons)}
      {all.length <= buttons ? null : (
        <RowMenu id={`more-${encodeURIComponent(about)}`} about={about}>
          {all.slice(buttons)}
        </RowMenu>
      )}
    </div>
  );
}

interface RowMenuProps extends Pick<RowActionsProps, 'about' | 'children'> {
  /** Unique on the page. */
  readonly id: string;
}

/** The menu at the end of a row. Each entry has an icon, and an ellipsis if a form or a plan follows. */
export const RowMenu = ({ id, about, children }: RowMenuProps) => (
  <Menu id={id} label={`More actions: ${about}`} button="ghost icon small" face={<Icon name="ellipsis" />}>
    {children}
  </Menu>
);
