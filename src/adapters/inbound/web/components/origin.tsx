import { type Origin, originOf } from '../../../../domain/access/requester.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

const KINDS: Readonly<Record<Origin['kind'], readonly [IconName, string]>> = {
  user: ['user', 'User'],
  token: ['bot', 'Token'],
  schedule: ['calendar-clock', 'Schedule'],
  service: ['settings', 'Drover'],
};

/** The requester of the dry run that a request for approval shows. */
const DRY_RUN = /^approval of (job \d+)$/;

/** Who started something, by name and with the icon of its kind; `label` is its `requested_by`. */
export function By({ label }: { readonly label: string }) {
  const { kind, name } = originOf(label);
  const [icon, word] = KINDS[kind];
  return (
    <span class="origin" title={word}>
      <Icon name={icon} />
      <span class="hidden">{word}</span> {kind === 'service' ? name.replace(DRY_RUN, 'Drover for $1') : name}
    </span>
  );
}
