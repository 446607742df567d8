import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

/** In place of a list: why there is nothing, and what to do. */
export const Empty = ({
  icon = 'circle-dashed',
  children,
}: {
  readonly icon?: IconName | undefined;
  readonly children: ComponentChildren;
}) => (
  <div class="empty">
    <Icon name={icon} />
    <p>{children}</p>
  </div>
);
