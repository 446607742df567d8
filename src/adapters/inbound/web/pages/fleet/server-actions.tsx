import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { toStarted } from '../../job-started.ts';
import type { WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';

export interface ServerActionDeps {
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

/** Jobs that change nothing on the host: no dry run is needed. */
const AT_ONCE = ['backup', 'os_update_check', 'container_update_check'] as const satisfies readonly JobType[];

/** Redirects to the job: the running one, if there is one. */
export const serverActionRoutes = ({ triggerJob }: ServerActionDeps): readonly WebRoute[] => [
  {
    method: 'POST',
    path: '/servers/:id/start',
    needs: 'operator',
    handle: async ({ visitor, params, form }) => {
      const id = serverId(params);
      const jobType = AT_ONCE.find((each) => each === form.get('job_type'));
      if (jobType === undefined) {
        throw new InvalidInput([{ path: '/job_type', message: `Choose one of ${AT_ONCE.join(', ')}.` }]);
      }
      const request = { serverId: id, jobType };
      return toStarted(() => triggerJob.execute(visitor.actor, request), request);
    },
  },
];
