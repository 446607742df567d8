import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

interface EmptyProps {
  readonly icon?: IconName;
  readonly title?: string;
  /** The next step: a link or a form. */
  readonly action?: ComponentChildren;
  /** Why there is nothing, or what the list is for. */
  readonly children?: ComponentChildren;
}

/** In place of an empty list: why it is empty, what it is for, and the next step. */
export const Empty = ({ icon = 'circle-dashed', title, action, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p>
      {title === undefined ? children : <strong>{title}</strong>}
      {title === undefined || !children ? null : <span class="help">{children}</span>}
    </p>
    {action}
  </div>
);

/** A search or filter finds nothing. */
export const NoMatch = ({ path, children }: { readonly path: string; readonly children: string }) => (
  <Empty
    icon="search"
    action={
      <a class="button quiet" href={path}>
        Clear search
      </a>
    }
  >
    {children}
  </Empty>
);
