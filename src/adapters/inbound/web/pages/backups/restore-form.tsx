import type { Snapshot } from '../../../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Choices, Field, FormFault, type FormState } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';

interface RestoreFormProps {
  readonly snapshot: Snapshot;
  readonly server: Server;
  /** None: all of it. */
  readonly paths: readonly string[];
  readonly state: FormState;
  readonly now: Instant;
}

/** Restores a snapshot or parts of it: two choices, each with only its own fields. The style sheet hides the other's. */
export function RestoreForm({ snapshot, server, paths, state, now }: RestoreFormProps) {
  const own = `/snapshots/${snapshot.id}`;
  return (
    <form method="post" action={`${own}/restore`} class="column restore">
      <FormFault state={state} />
      <p class="quiet">
        From <a href={own}>{snapshot.sourceName}</a>, taken <Ago at={snapshot.startedAt} now={now} />, to{' '}
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
            label: 'Original place',
            help: `Replaces what differs on ${server.name}. Files that are not in the snapshot stay.`,
          },
          {
            value: 'directory',
            label: 'Another folder',
            help: `Below a folder of ${server.name}, with full paths. Nothing else changes.`,
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
      <div class="for-confirmation">
        <Field
          state={state}
          name="confirmation"
          label="Name of the server"
          help={
            <>
              Files will be replaced. To confirm, type <code>{server.name}</code>
            </>
          }
          required={false}
        />
      </div>
      <p class="actions">
        <button type="submit">{`Restore to ${server.name}`}</button>
        <a href={own}>Cancel</a>
      </p>
    </form>
  );
}
