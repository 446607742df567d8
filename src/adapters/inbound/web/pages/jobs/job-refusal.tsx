import type { DomainError } from '../../../../../domain/base/errors.ts';
import { JobAlreadyActive } from '../../../../../domain/jobs/job.ts';

interface RefusalProps {
  readonly error: DomainError;
  readonly server: { readonly id: number; readonly name: string };
}

/** Why a job was not started, and the way on: to the job that is in its way, to the switch that is off. */
export function JobRefusal({ error, server }: RefusalProps) {
  return (
    <div class="notice bad" role="alert">
      <Sentence {...{ error, server }} />
    </div>
  );
}

function Sentence({ error, server }: RefusalProps) {
  if (error instanceof JobAlreadyActive) {
    const { job } = error;
    return (
      <>
        Not started: <a href={`/jobs/${job.id}`}>job {job.id}</a> ({job.jobType}) is already {job.status} on{' '}
        {server.name}. Wait for its end, or cancel it there.
      </>
    );
  }
  if (error.code === 'feature_disabled') {
    return (
      <>
        Not started: {error.message} <a href={`/servers/${server.id}/settings`}>Features of {server.name}</a>
      </>
    );
  }
  if (error.code === 'outside_maintenance_window') {
    return (
      <>
        Not started: {error.message} <a href="/windows">Maintenance windows</a>
      </>
    );
  }
  return <>Not started: {error.message}</>;
}
