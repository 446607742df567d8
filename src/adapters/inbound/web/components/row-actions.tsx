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
        <Menu
          id={`more-${encodeURIComponent(about)}`}
          label={`More actions: ${about}`}
          button="ghost icon small"
          face={<Icon name="ellipsis" />}
        >
          {all.slice(buttons)}
        </Menu>
      )}
    </div>
  );
}
