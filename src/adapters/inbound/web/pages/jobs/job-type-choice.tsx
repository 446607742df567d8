import type { StartableJobs, StartableType } from '../../../../../application/jobs/startable-jobs.ts';
import { featureOf, type JobType, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Icon } from '../../components/icon.tsx';
import { FEATURE_TITLES, wordsOf } from './job-words.ts';

const FEATURES = ['backup', 'os', 'docker'] as const;
const ICONS = { backup: 'database-backup', os: 'package', docker: 'boxes' } as const;

/** Jobs that can be started on a server, and why others cannot. */
export function JobTypeChoice({
  startable,
  asked,
}: {
  readonly startable: StartableJobs;
  /** The one that was asked for and cannot be started. */
  readonly asked: JobType | null;
}) {
  const { server, types } = startable;
  const refused = types.find(({ type }) => type === asked);
  return (
    <>
      {refused === undefined ? null : (
        <p class="notice bad" role="alert">
          {jobTitle(refused.type)} cannot be started on {server.name}: {refused.reason}{' '}
          {featureOf(refused.type) === 'backup' && startable.sources.length === 0 ? (
            <a href={`/servers/${server.id}/sources`}>Add a source</a>
          ) : null}
        </p>
      )}
      <div class="job-types">
        {FEATURES.map((feature) => {
          const own = types.filter(({ type }) => featureOf(type) === feature);
          const off = own.some(({ switchedOff }) => switchedOff);
          return (
            <section key={feature} class="card" aria-labelledby={`types-${feature}`}>
              <header>
                <Icon name={ICONS[feature]} />
                <h2 id={`types-${feature}`}>{FEATURE_TITLES[feature]}</h2>
              </header>
              {off ? (
                <p class="body quiet">
                  Off for this server. <a href={`/servers/${server.id}/settings`}>Features</a>
                </p>
              ) : null}
              <ul class="plain">
                {own.map((each) => (
                  <li key={each.type}>
                    <Type each={each} serverId={server.id} />
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </>
  );
}

function Type({ each, serverId }: { readonly each: StartableType; readonly serverId: number }) {
  const title = jobTitle(each.type);
  const { help } = wordsOf(each.type);
  return (
    <>
      {each.reason === null ? (
        <a href={`/servers/${serverId}/jobs/new?type=${each.type}`}>{title}</a>
      ) : (
        <span class="quiet">{title}</span>
      )}
      <span class="help">{each.reason === null || each.switchedOff ? help : each.reason}</span>
    </>
  );
}
