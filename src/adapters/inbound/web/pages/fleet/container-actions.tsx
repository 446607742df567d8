import { isWithin } from '../../../../../domain/base/path-within.ts';
import type { ContainerFact } from '../../../../../domain/fleet/inventory.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { RowMenu } from '../../components/row-actions.tsx';

interface ActionsProps {
  readonly container: ContainerFact;
  readonly server: Server;
}

/** Its log, and what else can be done with it. */
export function ContainerActions({ container: { name, path, service, running }, server }: ActionsProps) {
  const log = `/servers/${server.id}/containers/${encodeURIComponent(name)}/log`;
  const hasMenu = server.features.docker && path !== null && service !== null;
  return (
    <div class="row">
      <a class={`button quiet small${hasMenu ? ' desk' : ''}`} href={log} aria-label={`Logs: ${name}`}>
        Logs
      </a>
      {hasMenu ? (
        <RowMenu id={`container-${name}`} about={name}>
          <a class="phone" href={log}>
            <Icon name="file-text" />
            Logs
          </a>
          <JobLinks server={server} directory={path} service={service} isRunning={running} />
        </RowMenu>
      ) : null}
    </div>
  );
}

interface JobLinksProps {
  readonly server: Server;
  readonly directory: string;
  /** Null: the whole stack. */
  readonly service: string | null;
  readonly isRunning: boolean;
}

/** What changes the definition of a stack, and applies it. */
export const StackLinks = ({
  server: { id, jail },
  directory,
}: Pick<JobLinksProps, 'server' | 'directory'>) => (
  <>
    {jail !== null && isWithin(directory, jail) ? (
      <a href={`/servers/${id}/files/compose?${new URLSearchParams({ directory })}`}>
        <Icon name="pencil" />
        Edit compose file
      </a>
    ) : null}
    <a
      href={`/servers/${id}/jobs/new?${new URLSearchParams({ type: 'docker_stack_deploy', source_filter: directory })}`}
    >
      <Icon name="boxes" />
      Deploy…
    </a>
  </>
);

/** The form of a job of one stack or service. */
export const jobPath = ({ id }: Server, type: JobType, directory: string, service: string | null): string =>
  `/servers/${id}/jobs/new?${new URLSearchParams({ type, source_filter: directory, ...(service === null ? {} : { service }) })}`;

/** Jobs of one stack or service; each shows its dry run first. */
export const JobLinks = ({ server, directory, service, isRunning }: JobLinksProps) => (
  <>
    {ACTIONS.filter(({ of }) => of === 'both' || (of === 'running') === isRunning).map(
      ({ type, icon, label }) => (
        <a key={type} href={jobPath(server, type, directory, service)}>
          <Icon name={icon} />
          {label}
        </a>
      ),
    )}
  </>
);

interface ContainerAction {
  readonly type: JobType;
  readonly icon: IconName;
  readonly label: string;
  readonly of: 'running' | 'stopped' | 'both';
}

const ACTIONS: readonly ContainerAction[] = [
  { type: 'container_patch', icon: 'package', label: 'Update…', of: 'both' },
  { type: 'docker_stack_restart', icon: 'rotate-cw', label: 'Restart…', of: 'running' },
  { type: 'docker_stack_stop', icon: 'square', label: 'Stop…', of: 'running' },
  { type: 'docker_stack_start', icon: 'play', label: 'Start…', of: 'stopped' },
];
