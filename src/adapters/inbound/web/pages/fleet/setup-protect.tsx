import type { NightlyBackup, NightlyPlan } from '../../../../../application/automation/nightly-backup.ts';
import { nightly } from '../../../../../application/automation/nightly-backup.ts';
import type { PreviewTimes } from '../../../../../application/automation/preview-times.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { GetInventory } from '../../../../../application/fleet/get-inventory.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import type { SetFeatures } from '../../../../../application/fleet/set-features.ts';
import type { SurveyData } from '../../../../../application/fleet/survey-data.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import { type BackupSource, describeSource } from '../../../../../domain/backups/backup-source.ts';
import { type InputProblem, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { type DataPath, selectedPaths } from '../../../../../domain/fleet/data-paths.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import { type FeatureFlags, NO_FEATURES, type Server } from '../../../../../domain/fleet/server.ts';
import { describeChange } from '../../../../../domain/fleet/server-description.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { ControlNotice, lacksControl } from '../../components/control.tsx';
import { Choices, Field, FormFault, type FormState } from '../../components/form.tsx';
import { size } from '../../components/size.ts';
import { blaming, linesOf, noting, textOf } from '../../form-state.ts';
import type { SignedInVisit } from '../../route.ts';
import { FeatureChoices, featuresOf } from './features.tsx';
import { inPlace } from './setup-card.tsx';

export interface ProtectDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly getInventory: Pick<GetInventory, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly setFeatures: Pick<SetFeatures, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list' | 'add'>;
  readonly manageAlerts: Pick<ManageAlerts, 'mute' | 'unmute' | 'mutes'>;
  readonly nightlyBackup: Pick<NightlyBackup, 'plan' | 'execute'>;
  readonly previewTimes: Pick<PreviewTimes, 'execute'>;
  readonly surveyData: Pick<SurveyData, 'execute'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

/** A suggested file root is preselected only if it is a directory for such files. */
const FOR_FILES = /\/(compose|docker|stacks)$/;
/** Problems of the fields that are folded. */
const FOLDED = /^\/(paths|name|jail)/;

const PATH_HELP: Readonly<Record<string, string>> = {
  '/root': "Root's home directory: SSH keys, shell history and credentials.",
  '/opt': 'Usually programs that you can reinstall.',
  '/usr/local': 'Usually programs that you can reinstall.',
};

interface SetupState {
  readonly state: FormState;
  /** A file root that the host suggested. */
  readonly jail: string | null;
}

/** The last card: what Drover does on a server that it can reach. */
export async function protectCard(
  deps: ProtectDeps,
  { visitor: { actor } }: SignedInVisit,
  server: Server,
  { state, jail }: SetupState,
) {
  const mayAdd = !lacksControl(actor, server);
  const sources = await deps.manageSources.list(actor, server.id);
  const [inventories, plan, mutes, found] = await Promise.all([
    deps.getInventory.execute(actor, { serverId: server.id, limit: 1, offset: 0 }),
    deps.nightlyBackup.plan(actor, server),
    deps.manageAlerts.mutes(actor),
    mayAdd && sources.length === 0 ? deps.surveyData.execute(actor, server.id) : [],
  ]);
  const inventory = inventories.items[0]?.inventory ?? null;
  const isMuted = mutes.some(({ kind, serverId }) => kind === null && serverId === server.id);
  const action = `/servers/${server.id}/setup/features`;
  return (
    <form {...(server.address.connection === 'ssh' ? inPlace(action) : { method: 'post', action })}>
      <FormFault state={state} />
      <Found server={server} inventory={inventory} />
      {mayAdd ? (
        <Paths state={state} found={found} sources={sources} />
      ) : (
        <ControlNotice actor={actor} server={server} to={`/servers/${server.id}/setup`} />
      )}
      <FeatureChoices state={state} chosen={suggestedFeatures(server, inventory)} />
      <Nightly state={state} plan={plan} />
      <Choices
        state={state}
        name="alerts"
        legend="Alerts"
        type="checkbox"
        chosen={isMuted ? [] : ['yes']}
        choices={[
          {
            value: 'yes',
            label: 'Alert me if a backup fails or the server needs attention',
            help: (
              <>
                In the web UI and through your <a href="/settings/alerts">alert channels</a>. Not selected:
                alerts about this server are muted.
              </>
            ),
          },
        ]}
      />
      {mayAdd ? (
        <details class="more" open={state.problems.some(({ path }) => FOLDED.test(path))}>
          <summary>More: other paths, file access folder</summary>
          {sources.length > 0 ? null : (
            <>
              <Field
                state={state}
                name="more_paths"
                path="/paths"
                label="Other paths to back up"
                type="lines"
                required={false}
                help="One absolute path per line. A backup fails if a path does not exist."
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
          )}
          <Field
            state={state}
            name="jail"
            label="File access folder"
            value={server.jail ?? (jail !== null && FOR_FILES.test(jail) ? jail : '')}
            required={false}
            help={`The only directory that file tools, and agents, can access. Empty: none.${jail === null ? '' : ` Suggested for this host: ${jail}.`}`}
          />
        </details>
      ) : null}
      <p class="actions">
        <button type="submit">Finish</button>
        <span class="quiet">The first backup starts immediately.</span>
      </p>
    </form>
  );
}

function Found({ server, inventory }: { readonly server: Server; readonly inventory: Inventory | null }) {
  if (inventory === null) return null;
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

function Paths({
  state,
  found,
  sources,
}: {
  readonly state: FormState;
  readonly found: readonly DataPath[];
  readonly sources: readonly BackupSource[];
}) {
  if (sources.length > 0) {
    return <p>Backup sources: {sources.map(({ name }) => name).join(', ')}.</p>;
  }
  if (found.length === 0) return null;
  return (
    <Choices
      state={state}
      name="paths"
      // Its values are right; errors belong to the paths that were typed.
      path="/found"
      legend="Back up"
      type="checkbox"
      chosen={selectedPaths(found)}
      choices={found.map(({ path, bytes, project }) => ({
        value: path,
        label: (
          <>
            <code>{path}</code> <span class="quiet">{bytes === null ? 'size unknown' : size(bytes)}</span>
          </>
        ),
        help: project === null ? PATH_HELP[path] : `Compose project ${project}`,
      }))}
    />
  );
}

function Nightly({ state, plan }: { readonly state: FormState; readonly plan: NightlyPlan }) {
  const { schedule, included } = plan;
  if (schedule !== null && included) {
    return (
      <p>
        The schedule <a href={`/schedules/${schedule.id}`}>{schedule.name}</a> backs it up:{' '}
        {cronWords(schedule.cron)}.
      </p>
    );
  }
  return (
    <>
      <Choices
        state={state}
        name="nightly"
        legend="Schedule"
        type="checkbox"
        chosen={['yes']}
        choices={[
          schedule === null
            ? { value: 'yes', label: 'Back up every night at 02:30' }
            : {
                value: 'yes',
                label: `Back up every night with the schedule ${schedule.name}`,
                help: cronWords(schedule.cron),
              },
        ]}
      />
      {schedule === null ? (
        <Field state={state} name="time_zone" label="Time zone" value="UTC" required={false} zone="value" />
      ) : null}
    </>
  );
}

/** What is on already, or at first what the host supports. */
const suggestedFeatures = ({ features }: Server, inventory: Inventory | null): FeatureFlags =>
  Object.values(features).some(Boolean)
    ? features
    : {
        ...NO_FEATURES,
        backup: true,
        os_patch: Boolean(inventory?.osFamily),
        docker: Boolean(inventory?.containerEngine),
      };

/** Applies the card, and starts the first jobs. All errors are reported before anything is changed. */
export async function finish(deps: ProtectDeps, visit: SignedInVisit, server: Server): Promise<void> {
  const { form, now } = visit;
  const { actor } = visit.visitor;
  const features = featuresOf(form);
  const jail = form.has('jail') ? textOf(form, 'jail') || null : server.jail;
  const paths = [...form.getAll('paths'), ...linesOf(form, 'more_paths')];
  const source = features.backup && paths.length > 0 ? { name: textOf(form, 'source_name'), paths } : null;
  const isNightly = features.backup && form.get('nightly') === 'yes';
  const timeZone = textOf(form, 'time_zone') || 'UTC';
  const problems: InputProblem[] = [];
  await noting(problems, () => describeChange({ jail }));
  await noting(problems, () => source && describeSource({ ...source, serverId: server.id, at: now }));
  await noting(problems, () => isNightly && deps.previewTimes.execute(actor, nightly(timeZone)));
  if (problems.length > 0) throw new InvalidInput(problems);
  if (source !== null) {
    await blaming({ name_taken: '/name' }, () => deps.manageSources.add(actor, server.id, source));
  }
  if (jail !== server.jail) await deps.editServer.execute(actor, server.id, { jail });
  await deps.setFeatures.execute(actor, server.id, features);
  if (isNightly) await deps.nightlyBackup.execute(actor, server, timeZone);
  await setAlerts(deps, visit, server, form.get('alerts') === 'yes');
  await startFirstJobs(deps, visit, server.id);
}

async function setAlerts(
  { manageAlerts }: ProtectDeps,
  { visitor: { actor } }: SignedInVisit,
  { id }: Server,
  wanted: boolean,
): Promise<void> {
  const mutes = (await manageAlerts.mutes(actor)).filter(
    ({ kind, serverId }) => kind === null && serverId === id,
  );
  if (wanted) for (const mute of mutes) await manageAlerts.unmute(actor, mute.id);
  else if (mutes.length === 0) await manageAlerts.mute(actor, { kind: null, serverId: id, until: null });
}

/**
 * The first backup, and a check for updates: until then pending updates are unknown. The server is set up without them,
 * too.
 */
async function startFirstJobs(deps: ProtectDeps, { visitor: { actor } }: SignedInVisit, id: number) {
  const { features, facts } = await deps.getServer.execute(actor, id);
  const start = async (jobType: JobType): Promise<void> => {
    try {
      await deps.triggerJob.execute(actor, { serverId: id, jobType });
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
  };
  if (features.backup && facts.lastBackupAt === null) await start('backup');
  if (features.os_patch && facts.lastOsCheckAt === null) await start('os_update_check');
}
