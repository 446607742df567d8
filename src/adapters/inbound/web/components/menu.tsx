import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface MenuProps {
  /** Unique on the page. */
  readonly id: string;
  /** What the button is called. */
  readonly label: string;
  /** Classes of the button. */
  readonly button: string;
  readonly face: ComponentChildren;
  /** Links and forms. */
  readonly children: ComponentChildren;
}

/** A button and its menu. The browser opens it without a script. */
export const Menu = ({ id, label, button, face, children }: MenuProps) => (
  <>
    <button type="button" class={button} aria-haspopup="true" popovertarget={id}>
      {face} <span class="hidden">{label}</span>
    </button>
    <div id={id} class="menu" popover="auto">
      {children}
    </div>
  </>
);

/** On a button with words that opens a menu. */
export const Chevron = () => (
  <span class="down">
    <Icon name="chevron-right" />
  </span>
);
