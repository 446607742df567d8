import type { RestorePlan } from '../../../../../domain/backups/restore-plan.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Choices, Field, FormFault, type FormState } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';
import { PlanOfRestore } from './restore-plan.tsx';
import { SnapshotName } from './snapshot-rows.tsx';

interface RestoreFormProps {
  readonly snapshot: Snapshot;
  readonly server: Server;
  /** None: all of it. */
  readonly paths: readonly string[];
  readonly state: FormState;
  readonly now: Instant;
  /** The plan that was asked for; `null`: it is loaded. */
  readonly planned: Pick<PlanSectionProps, 'plan' | 'directory'> | null;
}

interface PlanSectionProps {
  readonly own: string;
  /** Text: why there is none. */
  readonly plan: RestorePlan | string;
  /** `null`: the original location. */
  readonly directory: string | null;
  readonly now: Instant;
}

/** What the restore would write. */
export const PlanSection = ({ plan, ...shown }: PlanSectionProps) => (
  <section
    id="restore-plan"
    class={`${shown.directory === null ? 'of-original' : 'of-directory'}${isNothing(plan) ? ' nothing' : ''}`}
    aria-labelledby="restore-plan-title"
  >
    <h2 id="restore-plan-title">
      {shown.directory === null ? 'Plan for the original location' : `Plan for ${shown.directory}`}
    </h2>
    {typeof plan === 'string' ? (
      <p class="notice care">There is no plan: {plan}</p>
    ) : (
      <PlanOfRestore plan={plan} {...shown} />
    )}
  </section>
);

interface StartProps {
  readonly server: Pick<Server, 'name'>;
  readonly plan: RestorePlan | string | null;
  /** It comes with a plan, beside its place on the page. */
  readonly isApart?: boolean;
}

/** Starts the restore, and says what that does. */
export const StartRestore = ({ server: { name }, plan, isApart = false }: StartProps) => (
  <button
    id="restore-start"
    type="submit"
    data-needs-name={isNothing(plan) ? undefined : name}
    disabled={isNothing(plan)}
    hx-swap-oob={isApart ? 'true' : undefined}
  >
    {isNothing(plan) ? 'Nothing to restore' : `${resultOf(plan)} ${name}`}
  </button>
);

/** All of the files are as in the snapshot. */
const isNothing = (plan: StartProps['plan']): boolean =>
  plan !== null &&
  typeof plan !== 'string' &&
  plan.isComplete &&
  plan.replaced.files + plan.created.files === 0;

function resultOf(plan: StartProps['plan']): string {
  if (plan === null || typeof plan === 'string' || !plan.isComplete) return 'Restore to';
  const { replaced, created } = plan;
  const parts = [
    replaced.files > 0 ? `replace ${count(replaced.files, 'file')}` : '',
    created.files > 0 ? `create ${count(created.files, 'file')}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? 'Restore to' : `${capital(parts.join(' and '))} on`;
}

/** Longer addresses are not asked for; a button sends the form. */
const MAX_ADDRESS = 4_000;

/** Where the plan for the chosen target is loaded; `null`: the paths are too long. */
function planAddress(own: string, paths: readonly string[]): string | null {
  const query = new URLSearchParams(paths.map((path) => ['p', path]));
  const address = `/live${own}/restore/plan${query.size === 0 ? '' : `?${query}`}`;
  return address.length > MAX_ADDRESS ? null : address;
}

/** Loads the plan again whenever the target changes. */
const loading = (address: string | null, isShown: boolean) =>
  address === null
    ? {}
    : {
        'hx-get': address,
        'hx-trigger': `${isShown ? '' : 'load, '}change from:[name="where"], input changed delay:400ms from:[name="directory"]`,
        'hx-include': '[name="where"], [name="directory"]',
      };

const PlanToCome = () => (
  <section id="restore-plan" aria-labelledby="restore-plan-title">
    <h2 id="restore-plan-title">Plan</h2>
    <p class="quiet">The plan shows which files would be created or replaced.</p>
  </section>
);

/** Restores a snapshot or parts of it: two choices, each with only its own fields. The style sheet hides the other's. */
export function RestoreForm({ snapshot, server, paths, state, now, planned }: RestoreFormProps) {
  const own = `/snapshots/${snapshot.id}`;
  const address = planAddress(own, paths);
  const preview = (
    <button type="submit" class="quiet" formaction={`${own}/restore/preview`} formnovalidate>
      Preview changes
    </button>
  );
  return (
    <form method="post" action={`${own}/restore`} class="column restore">
      <FormFault state={state} />
      <p class="quiet">
        From{' '}
        <a href={own}>
          <SnapshotName snapshot={snapshot} />
        </a>
        , taken <Ago at={snapshot.startedAt} now={now} />, to{' '}
        <a href={`/servers/${server.id}`}>{server.name}</a>
      </p>
      <section class="card">
        <header>
          <h2>
            {paths.length === 0
              ? 'The whole snapshot'
              : count(paths.length, 'file or folder', 'files and folders')}
          </h2>
        </header>
        <ul class="paths mono">
          {paths.length === 0 ? <li>/</li> : paths.map((path) => <li key={path}>/{path}</li>)}
        </ul>
      </section>
      {paths.map((path) => (
        <input key={path} type="hidden" name="path" value={path} />
      ))}
      <Choices
        state={state}
        name="where"
        legend="Restore to"
        type="radio"
        chosen={['original']}
        cards
        choices={[
          {
            value: 'original',
            label: 'Original location',
            help: `Replaces files that differ on ${server.name}. Files that are not in the snapshot are kept.`,
          },
          {
            value: 'directory',
            label: 'Another folder',
            help: `Restores into a folder on ${server.name}, with full paths. Nothing else changes.`,
          },
        ]}
      />
      <div class="for-directory">
        <Field
          state={state}
          name="directory"
          label="Folder"
          value={`/var/tmp/restored-${snapshot.id}`}
          help="Created if it does not exist."
          required={false}
        />
        <Choices
          state={state}
          name="overwrite"
          legend="If the folder is not empty"
          type="checkbox"
          chosen={[]}
          choices={[{ value: 'yes', label: 'Restore anyway, and replace files that differ' }]}
        />
      </div>
      <div {...loading(address, planned !== null)}>
        {planned === null ? <PlanToCome /> : <PlanSection {...planned} {...{ own, now }} />}
      </div>
      <div class="for-confirmation">
        <Field
          state={state}
          name="confirmation"
          label="Server name"
          help={
            <>
              Files that differ are replaced. To confirm, type <code>{server.name}</code>
            </>
          }
          required={false}
        />
      </div>
      <p class="actions">
        <StartRestore server={server} plan={planned?.plan ?? null} />
        {address === null ? preview : <noscript>{preview}</noscript>}
        <a href={own}>Cancel</a>
      </p>
    </form>
  );
}
