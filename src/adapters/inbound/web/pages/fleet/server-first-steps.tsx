import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import type { SetFeatures } from '../../../../../application/fleet/set-features.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import { type BackupSource, describeSource } from '../../../../../domain/backups/backup-source.ts';
import { InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import { type FeatureFlags, NO_FEATURES, type Server } from '../../../../../domain/fleet/server.ts';
import { describeChange } from '../../../../../domain/fleet/server-description.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { blaming, linesOf, submit, textOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { FeatureChoices, featuresOf } from './features.tsx';
import { StartNow } from './remedy.tsx';
import { setupPage } from './server-setup.tsx';

export interface ServerFirstStepDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly setFeatures: Pick<SetFeatures, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list' | 'add'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

const PATH = '/servers/:id/setup';
/** Where a host keeps its configuration; an account other than root can read only its own home directory. */
const firstPaths = ({ address }: Server): readonly string[] =>
  address.sshUsername === 'root' || address.become === 'sudo' || address.connection === 'local'
    ? ['/etc', '/home', '/root', '/srv']
    : [`/home/${address.sshUsername}`];

/** An existing directory for such files. A whole home directory is offered too, but never preselected. */
const FOR_FILES = /\/(compose|docker|stacks)$/;

/** What Drover should do on a reachable server; the last steps of adding one. */
export function serverFirstStepRoutes(deps: ServerFirstStepDeps): readonly WebRoute[] {
  const server = ({ visitor, params }: SignedInVisit): Promise<Server> =>
    deps.getServer.execute(visitor.actor, serverId(params));
  return [
    {
      method: 'GET',
      path: `${PATH}/features`,
      needs: 'operator',
      handle: async (visit) => featuresPage(deps, visit, await server(visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: `${PATH}/features`,
      needs: 'operator',
      handle: async (visit) => {
        const on = await server(visit);
        return submit(
          visit.form,
          async () => {
            await settle(deps, visit, on);
            await firstUpdateCheck(deps, visit, on.id);
            return redirect(`/servers/${on.id}/setup/done`);
          },
          (state) => featuresPage(deps, visit, on, state, 422),
        );
      },
    },
    {
      method: 'GET',
      path: `${PATH}/done`,
      needs: 'operator',
      handle: async (visit) => donePage(deps, visit, await server(visit)),
    },
  ];
}

/** All errors are shown before anything is changed: a form is never half applied. */
async function settle(deps: ServerFirstStepDeps, { visitor, form, now }: SignedInVisit, server: Server) {
  const { actor } = visitor;
  const features = featuresOf(form);
  const jail = form.has('jail') ? textOf(form, 'jail') || null : server.jail;
  const paths = linesOf(form, 'paths');
  const source = features.backup && paths.length > 0 ? { name: textOf(form, 'source_name'), paths } : null;
  const problems = [
    ...problemsOf(() => describeChange({ jail })),
    ...(source === null ? [] : problemsOf(() => describeSource({ ...source, serverId: server.id, at: now }))),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
  if (source !== null) {
    await blaming({ name_taken: '/name' }, () => deps.manageSources.add(actor, server.id, source));
  }
  if (jail !== server.jail) await deps.editServer.execute(actor, server.id, { jail });
  await deps.setFeatures.execute(actor, server.id, features);
}

/**
 * Until a check has refreshed the package lists, pending updates are unknown. The server can be set up without it.
 */
async function firstUpdateCheck(deps: ServerFirstStepDeps, { visitor }: SignedInVisit, id: number) {
  const { features, facts } = await deps.getServer.execute(visitor.actor, id);
  if (!features.os_patch || facts.lastOsCheckAt !== null) return;
  try {
    await deps.triggerJob.execute(visitor.actor, { serverId: id, jobType: 'os_update_check' });
  } catch (error) {
    if (!isDomainError(error)) throw error;
  }
}

function problemsOf(check: () => unknown) {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems;
    throw error;
  }
}

async function featuresPage(
  deps: ServerFirstStepDeps,
  { visitor, query }: SignedInVisit,
  server: Server,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const [inventory, sources] = await Promise.all([
    inventoryOf(deps, visitor.actor, server),
    deps.manageSources.list(visitor.actor, server.id),
  ]);
  const jail = query.get('jail') ?? '';
  return setupPage(
    server,
    'features',
    <form method="post" action={`/servers/${server.id}/setup/features`} class="column">
      <Found server={server} inventory={inventory} />
      <FormFault state={state} />
      <FeatureChoices state={state} chosen={suggested(server, inventory)} />
      {lacksControl(visitor.actor, server) ? (
        <ControlNotice actor={visitor.actor} server={server} to={`/servers/${server.id}/setup/features`} />
      ) : (
        <>
          <SourceFields state={state} server={server} sources={sources} />
          <JailField state={state} server={server} found={jail} />
        </>
      )}
      <button type="submit">Continue</button>
    </form>,
    status,
  );
}

const JailField = ({
  state,
  server,
  found,
}: {
  readonly state: FormState;
  readonly server: Server;
  /** A suitable directory of the host; empty if there is none. */
  readonly found: string;
}) => (
  <Field
    state={state}
    name="jail"
    label="File root"
    value={server.jail ?? (FOR_FILES.test(found) ? found : '')}
    required={false}
    help={`The only directory that file tools, and agents, can access. Empty: none.${found === '' ? '' : ` Suggested for this host: ${found}.`}`}
  />
);

async function inventoryOf(
  { getInventory }: ServerFirstStepDeps,
  actor: SignedInVisit['visitor']['actor'],
  { id }: Server,
): Promise<Inventory | null> {
  return (
    (await getInventory.execute(actor, { serverId: id, limit: 1, offset: 0 })).items[0]?.inventory ?? null
  );
}

/** What is on already, or at first what the host supports. */
const suggested = ({ features }: Server, inventory: Inventory | null): FeatureFlags =>
  Object.values(features).some(Boolean)
    ? features
    : {
        ...NO_FEATURES,
        backup: true,
        os_patch: Boolean(inventory?.osFamily),
        docker: Boolean(inventory?.containerEngine),
      };

function Found({ server, inventory }: { readonly server: Server; readonly inventory: Inventory | null }) {
  if (inventory === null) {
    return (
      <p class="notice">
        Drover has not connected to {server.name} yet;{' '}
        <a href={`/servers/${server.id}/setup/check`}>connect first</a>, to see what it supports.
      </p>
    );
  }
  const { osPretty, arch, updates, containers } = inventory;
  const parts = [
    osPretty ?? inventory.kernel,
    arch,
    ...(updates === null ? [] : [count(updates.length, 'pending update')]),
    ...(containers === null ? [] : [count(containers.length, 'container')]),
  ];
  return (
    <p class="notice good">
      Connected to {server.name}: {parts.join(', ')}.
    </p>
  );
}

function SourceFields({
  state,
  server,
  sources,
}: {
  readonly state: FormState;
  readonly server: Server;
  readonly sources: readonly BackupSource[];
}) {
  if (sources.length > 0) {
    return <p>Backed up already: {sources.map(({ name }) => name).join(', ')}.</p>;
  }
  return (
    <>
      <Field
        state={state}
        name="paths"
        label="Back up these paths"
        type="lines"
        value={firstPaths(server).join('\n')}
        required={false}
        help="One absolute path per line. A backup fails if a path does not exist. Empty: no backup for now."
      />
      <Field
        state={state}
        name="source_name"
        path="/name"
        label="Name of this backup source"
        value="system"
        required={false}
      />
    </>
  );
}

async function donePage(
  deps: ServerFirstStepDeps,
  { visitor }: SignedInVisit,
  server: Server,
): Promise<WebReply> {
  const sources = await deps.manageSources.list(visitor.actor, server.id);
  const isBackedUp = server.features.backup && sources.length > 0;
  return setupPage(
    server,
    'done',
    <div class="column">
      <p class="verdict good">{server.name} is in the fleet.</p>
      {isBackedUp ? (
        <p>Not backed up yet: {sources.map(({ name }) => name).join(', ')} waits for its first backup.</p>
      ) : null}
      <div class="row">
        {isBackedUp ? <StartNow server={server} jobType="backup" label="Start the first backup" /> : null}
        {server.features.os_patch ? (
          <StartNow server={server} jobType="os_update_check" label="Check for updates" plain />
        ) : null}
      </div>
      <ul>
        <li>
          <a href={`/servers/${server.id}`}>Go to {server.name}</a>
        </li>
        <li>
          <a href={`/servers/${server.id}/sources`}>Add or change what is backed up</a>
        </li>
        <li>
          <a href="/servers/new">Add another server</a>
        </li>
      </ul>
    </div>,
  );
}
