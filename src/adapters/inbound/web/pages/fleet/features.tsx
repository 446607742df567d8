import { FEATURE_FLAGS, type FeatureFlag, type FeatureFlags } from '../../../../../domain/fleet/server.ts';
import { Choices, type FormState } from '../../components/form.tsx';

const WORDS: Readonly<Record<FeatureFlag, { label: string; help: string }>> = {
  backup: { label: 'Backups', help: 'Backs up its sources, and alerts you if backups are overdue.' },
  os_patch: {
    label: 'System updates',
    help: 'Checks and installs package updates, and can reboot the host.',
  },
  docker: { label: 'Containers', help: 'Updates container images and deploys stacks.' },
};

/** A server's features. */
export const FeatureChoices = ({
  state,
  chosen,
}: {
  readonly state: FormState;
  readonly chosen: FeatureFlags;
}) => (
  <Choices
    state={state}
    name="features"
    legend="Features"
    type="checkbox"
    chosen={FEATURE_FLAGS.filter((flag) => chosen[flag])}
    choices={FEATURE_FLAGS.map((value) => ({ value, ...WORDS[value] }))}
  />
);

/** Every flag as it was ticked. */
export const featuresOf = (form: URLSearchParams): FeatureFlags => {
  const ticked = form.getAll('features');
  return {
    backup: ticked.includes('backup'),
    os_patch: ticked.includes('os_patch'),
    docker: ticked.includes('docker'),
  };
};
