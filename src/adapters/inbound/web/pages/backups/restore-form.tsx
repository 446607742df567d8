import type { RestorePlan } from '../../../../../domain/backups/restore-plan.ts';
import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
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
  /** The plan that was asked for; `null`: the one for the original location is loaded. */
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
    class={shown.directory === null ? 'of-original' : 'of-directory'}
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

/** Longer addresses are not asked for; the button sends the form. */
const MAX_ADDRESS = 4_000;

/** Loads the plan for the original location. */
function PlanToCome({ own, paths }: { readonly own: string; readonly paths: readonly string[] }) {
  const query = new URLSearchParams(paths.map((path) => ['p', path]));
  const address = `/live${own}/restore/plan${query.size === 0 ? '' : `?${query}`}`;
  const load =
    address.length > MAX_ADDRESS ? {} : { 'hx-get': address, 'hx-trigger': 'load', 'hx-swap': 'outerHTML' };
  return (
    <section id="restore-plan" class="of-original" aria-labelledby="restore-plan-title" {...load}>
      <h2 id="restore-plan-title">Plan</h2>
      <p class="quiet">Preview the changes to see which files would be created or replaced.</p>
    </section>
  );
}

/** Restores a snapshot or parts of it: two choices, each with only its own fields. The style sheet hides the other's. */
export function RestoreForm({ snapshot, server, paths, state, now, planned }: RestoreFormProps) {
  const own = `/snapshots/${snapshot.id}`;
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
      {planned === null ? <PlanToCome {...{ own, paths }} /> : <PlanSection {...planned} {...{ own, now }} />}
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
        <button type="submit">{`Restore to ${server.name}`}</button>
        <button type="submit" class="quiet" formaction={`${own}/restore/preview`} formnovalidate>
          Preview changes
        </button>
        <a href={own}>Cancel</a>
      </p>
    </form>
  );
}
