import type { StartableJobs } from '../../../../../application/jobs/startable-jobs.ts';
import { grouped } from '../../../../../domain/base/spans.ts';
import { MAX_WAIT_FOR_HOST_MINUTES } from '../../../../../domain/jobs/host-wait.ts';
import {
  DEFAULT_OBSERVE_MINUTES,
  DEFAULT_OS_STEPS,
  MAX_GRACE_SECONDS,
  MAX_OBSERVE_MINUTES,
  OS_STEPS,
} from '../../../../../domain/jobs/job.ts';
import {
  featureOf,
  guardsByDefault,
  type JobType,
  needsProject,
  takes,
} from '../../../../../domain/jobs/job-types.ts';
import { Choices, Field, type FormState, Select } from '../../components/form.tsx';
import { Options } from '../../components/options.tsx';

interface JobFieldsProps {
  readonly type: JobType;
  readonly state: FormState;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
  /** Facts about the one selected server; `null` for several. */
  readonly startable: Pick<StartableJobs, 'sources' | 'projects'> | null;
  /** Of the sources of any server, to choose from for several. */
  readonly sourceNames?: readonly string[];
}

const STEP_LABELS: Readonly<Record<(typeof OS_STEPS)[number], string>> = {
  update: 'Refresh the package lists',
  upgrade: 'Upgrade packages, and remove none',
  full_upgrade: 'Upgrade packages, and remove conflicting ones',
  autoremove: 'Remove packages that are no longer needed',
};

const DATA_GUARD = {
  label: 'Data',
  help: 'Saved data is restored together with the images if the update fails.',
  options: [
    { value: '', label: 'Save it if backup sources cover it' },
    { value: 'yes', label: 'Save it, and skip projects without a backup source' },
    { value: 'no', label: 'Do not save it' },
  ],
};

const HOST_GUARD = {
  label: 'Guard',
  help: 'Copies /etc and the package database first, and compares failed units, open ports and your checks afterwards.',
  options: [
    { value: '', label: 'Only update' },
    { value: 'yes', label: 'Save the configuration, and report what got worse' },
  ],
};

/** The parameters that a job of a type takes. */
export function JobFields({ type, state, fresh, startable, sourceNames = [] }: JobFieldsProps) {
  const feature = featureOf(type);
  return (
    <>
      {feature === 'backup' ? <SourceField {...{ state, startable, sourceNames }} /> : null}
      {feature === 'docker' && !takes(type, 'template') ? (
        <ProjectField {...{ type, state, startable }} />
      ) : null}
      {takes(type, 'service') ? <ServiceField {...{ state, startable }} /> : null}
      {takes(type, 'sample') ? (
        <Field
          state={state}
          name="sample"
          label="Files to read"
          help="all, a number of files, or a percentage such as 5%. Empty: 200 files of each snapshot."
          required={false}
        />
      ) : null}
      {takes(type, 'osSteps') ? (
        <Choices
          state={fresh ? { ...state, typed: new URLSearchParams() } : state}
          name="os_steps"
          legend="Steps"
          type="checkbox"
          chosen={[...DEFAULT_OS_STEPS]}
          choices={OS_STEPS.map((step) => ({ value: step, label: STEP_LABELS[step] }))}
        />
      ) : null}
      {takes(type, 'graceSeconds') ? (
        <Field
          state={state}
          name="grace_seconds"
          label="Delay (seconds)"
          help={`Time before the restart in which you can cancel it: 0 to ${MAX_GRACE_SECONDS}.`}
          value="0"
          inputmode="numeric"
          required={false}
        />
      ) : null}
      {takes(type, 'guard') ? (
        <div class="two">
          <Select state={state} name="guard" {...(guardsByDefault(type) ? DATA_GUARD : HOST_GUARD)} />
          <Field
            state={state}
            name="observe_minutes"
            label="Observe (minutes)"
            help={`How long to observe a guarded update before it counts as good: 0 to ${MAX_OBSERVE_MINUTES}. Empty: ${DEFAULT_OBSERVE_MINUTES}.`}
            inputmode="numeric"
            required={false}
          />
        </div>
      ) : null}
      {takes(type, 'prune') ? (
        <Choices
          state={state}
          name="prune"
          legend="Old images"
          type="checkbox"
          chosen={[]}
          choices={[{ value: 'yes', label: 'Remove replaced images that are no longer used' }]}
        />
      ) : null}
      {takes(type, 'waitForHostMinutes') ? (
        <Field
          state={state}
          name="wait_for_host_minutes"
          label="Wait for the server (minutes)"
          help={`If the server is down, how long to try again: 0 to ${grouped(MAX_WAIT_FOR_HOST_MINUTES)}. Empty: fail at once.`}
          inputmode="numeric"
          required={false}
        />
      ) : null}
    </>
  );
}

function SourceField({
  state,
  startable,
  sourceNames,
}: Pick<JobFieldsProps, 'state' | 'startable'> & { readonly sourceNames: readonly string[] }) {
  if (startable === null) {
    return (
      <>
        <Field
          state={state}
          name="source_filter"
          label="Backup source"
          help="Name of a source; servers without it are skipped. Empty: all sources."
          list="sources"
          required={false}
        />
        <Options id="sources" values={sourceNames} />
      </>
    );
  }
  const options = startable.sources.map(({ name, paths }) => ({
    value: name,
    label: `${name}: ${paths.join(' ')}`,
  }));
  return (
    <Select
      state={state}
      name="source_filter"
      label="Backup source"
      options={[{ value: '', label: 'all sources' }, ...options]}
    />
  );
}

function ProjectField({ type, state, startable }: Pick<JobFieldsProps, 'type' | 'state' | 'startable'>) {
  const required = needsProject(type);
  const projects = startable?.projects ?? [];
  return (
    <>
      <Field
        state={state}
        name="source_filter"
        label="Compose project"
        help={
          required
            ? "The project's directory on the host."
            : "The project's directory on the host. Empty: all projects."
        }
        list="projects"
        placeholder="/srv/compose/app"
        required={required}
      />
      <Options id="projects" values={projects.map(({ directory }) => directory)} />
    </>
  );
}

function ServiceField({ state, startable }: Pick<JobFieldsProps, 'state' | 'startable'>) {
  const services = new Set((startable?.projects ?? []).flatMap((project) => project.services));
  return (
    <>
      <Field
        state={state}
        name="service"
        label="Service"
        help="One service of the project. Empty: all."
        list="services"
        required={false}
      />
      <Options id="services" values={[...services]} />
    </>
  );
}
