import type { MaintenanceWindow, WindowState } from '../../../../../domain/automation/maintenance-window.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, type FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { RowMenu } from '../../components/row-actions.tsx';
import { Status } from '../../components/status.tsx';
import { Switch } from '../../components/switch.tsx';
import { At } from '../../components/time.tsx';
import { CronFields } from './cron-fields.tsx';
import { type SelectorChoices, SelectorFields } from './selector-fields.tsx';
import { When } from './when.tsx';

interface WindowRowsProps {
  readonly windows: readonly WindowState[];
  /** Of the servers that they select. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  /** Of the reader; null: not known. */
  readonly zone: string | null;
  readonly mayAct: boolean;
}

/** Windows with when each is open. */
export const WindowRows = ({ windows, names, now, zone, mayAct }: WindowRowsProps) => (
  <DataTable
    rows={windows}
    keyOf={({ window }) => window.id}
    empty={
      <Empty
        icon="wrench"
        title="No maintenance windows"
        action={
          mayAct ? (
            <a class="button quiet" href="/windows/new">
              Create a window
            </a>
          ) : null
        }
      >
        Servers can be changed at any time. With a window, updates and reboots wait until it opens.
      </Empty>
    }
    columns={[
      { head: 'Window', cell: ({ window }) => window.name },
      { head: 'Servers', kind: 'text', cell: ({ window }) => selectorText(window.selector, names) },
      {
        head: 'Opens',
        cell: ({ window: { opens, durationMs }, opensAt }) => (
          <>
            <When cron={opens} next={opensAt} zone={zone} />, for {duration(durationMs)}
          </>
        ),
      },
      { head: 'State', kind: 'state', cell: (state) => <Open state={state} now={now} /> },
      mayAct && { head: 'Actions', kind: 'actions', cell: ({ window }) => <Actions window={window} /> },
    ]}
  />
);

/** What a disabled window does not hold back is explained below the list. */
const Actions = ({ window: { id, name, enabled } }: { readonly window: MaintenanceWindow }) => (
  <div class="row">
    <Switch action={`/windows/${id}`} enabled={enabled} about={name} />
    <RowMenu id={`window-${id}`} about={name}>
      <a href={`/windows/${id}/edit`}>
        <Icon name="pencil" />
        Edit…
      </a>
      <hr />
      <a href={`/windows/${id}/edit#delete`}>
        <Icon name="trash-2" />
        Delete…
      </a>
    </RowMenu>
  </div>
);

function Open({
  state: { window, openUntil, opensAt },
  now,
}: {
  readonly state: WindowState;
  readonly now: Instant;
}) {
  if (!window.enabled) return <Status tone="off">disabled</Status>;
  if (openUntil !== null) {
    return (
      <>
        <Status tone="good">open</Status> until <At at={openUntil} now={now} />
      </>
    );
  }
  if (opensAt === null) return <Status tone="off">does not open again</Status>;
  return (
    <>
      <Status tone="off">closed</Status> until <At at={opensAt} now={now} />
    </>
  );
}

export function WindowForm({
  state,
  window,
  choices,
  zone,
}: {
  readonly choices: SelectorChoices;
  readonly state: FormState;
  readonly window: MaintenanceWindow | null;
  /** As `CronFields` take it. */
  readonly zone: string | null;
}) {
  return (
    <>
      <form
        method="post"
        action={window === null ? '/windows/new' : `/windows/${window.id}/edit`}
        class="column"
      >
        <Field
          state={state}
          name="name"
          label="Name"
          help="Letters, digits and . _ -, such as sunday-night."
          focus={window === null}
        />
        <CronFields state={state} label="Opens" zone={zone} />
        <Field
          state={state}
          name="duration"
          label="Duration (hours)"
          help="From five minutes to seven days."
          value="3"
        />
        <SelectorFields state={state} choices={choices} usual="tags" />
        <p class="actions">
          <button type="submit">{window === null ? 'Create window' : 'Save window'}</button>
          <a href="/windows">Cancel</a>
        </p>
      </form>
      {window === null ? null : (
        <RemoveForm
          action={`/windows/${window.id}/remove`}
          what={`the window ${window.name}`}
          effect="Servers without another window can then be changed at any time."
        />
      )}
    </>
  );
}
