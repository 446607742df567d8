import { ICON_FILE } from './icon-file.ts';
import type { IconName } from './icon-names.ts';

/** A picture beside a word, or in place of one that the control names otherwise: nothing is read out. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="i" aria-hidden="true">
    <use href={`${ICON_FILE}#${name}`} />
  </svg>
);
