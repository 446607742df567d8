import { FLAG_OF_FEATURE } from '../../../../../domain/access/scope.ts';
import { capital } from '../../../../../domain/base/spans.ts';
import { FEATURE_FLAGS, type FeatureFlag, type Server } from '../../../../../domain/fleet/server.ts';
import { featureOf, type JobType } from '../../../../../domain/jobs/job-types.ts';

const NAMES: Readonly<Record<FeatureFlag, string>> = {
  backup: 'backups',
  os_patch: 'system updates',
  docker: 'containers',
};

const nameOf = (type: JobType): string => NAMES[FLAG_OF_FEATURE[featureOf(type)]];

/** Links to a job whose feature is off: its page turns that on first. */
export const turnOnLabel = (type: JobType): string => `Turn on ${nameOf(type)}…`;

/** Turns on what a job needs, and then goes on to that job. */
export function TurnOn({ server, type }: { readonly server: Server; readonly type: JobType }) {
  const { id, name, features } = server;
  const needed = FLAG_OF_FEATURE[featureOf(type)];
  return (
    <form method="post" action={`/servers/${id}/settings/features`} class="column" id="turn-on">
      {FEATURE_FLAGS.filter((flag) => features[flag] || flag === needed).map((flag) => (
        <input key={flag} type="hidden" name="features" value={flag} />
      ))}
      <input type="hidden" name="job" value={type} />
      <p>
        {capital(nameOf(type))} are off for {name}.
      </p>
      <p class="actions">
        <button type="submit">Turn on {nameOf(type)}</button>
        <a href={`/servers/${id}/settings#features-form`}>All features of {name}</a>
      </p>
    </form>
  );
}
