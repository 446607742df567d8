import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** The next step: a link or a form. */
  readonly action?: ComponentChildren;
  /** What the list is for. */
  readonly children?: ComponentChildren;
}

/** In place of an empty list, within `.empty`: why it is empty, what it is for, and the next step. */
export const EmptyState = ({ icon, title, action, children }: EmptyStateProps) => (
  <>
    <Icon name={icon} />
    <p>
      <strong>{title}</strong>
      {children ? <span class="help">{children}</span> : null}
    </p>
    {action}
  </>
);
