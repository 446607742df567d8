import { Icon } from './icon.tsx';

/** The primary action of a list: a new entry. */
export const AddLink = ({ href, children }: { readonly href: string; readonly children: string }) => (
  <a class="button" href={href}>
    <Icon name="plus" />
    {children}
  </a>
);
