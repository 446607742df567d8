import { EemeliYamlText } from '../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { PreviewTimes } from '../../src/application/automation/preview-times.ts';
import { GetTemplate, ListDeployments, ListTemplates } from '../../src/application/compose/list-templates.ts';
import { ManageTemplates } from '../../src/application/compose/manage-templates.ts';
import { TemplateRenderer } from '../../src/application/compose/template-renderer.ts';
import { RequestDowngrade } from '../../src/application/fleet/request-downgrade.ts';
import { CancelJob } from '../../src/application/jobs/cancel-job.ts';
import { FollowJob } from '../../src/application/jobs/follow-job.ts';
import { GetJob } from '../../src/application/jobs/get-job.ts';
import { ListJobs } from '../../src/application/jobs/list-jobs.ts';
import { ReadJobLog } from '../../src/application/jobs/read-job-log.ts';
import { type JobRunner, JobRunners } from '../../src/application/jobs/runner.ts';
import { ListStartableJobs } from '../../src/application/jobs/startable-jobs.ts';
import { TriggerJob } from '../../src/application/jobs/trigger-job.ts';
import { JOB_TYPES } from '../../src/domain/jobs/job-types.ts';
import type { ApplicationScene } from './application-scene.ts';
import { automationOf } from './automation.ts';

/** Takes any job, and runs none. */
const anyJob: JobRunner = {
  types: JOB_TYPES,
  timeLimitMs: 60_000,
  plan: () => Promise.reject(new Error('not run here')),
  apply: () => Promise.reject(new Error('not run here')),
};

/** The use cases of pages about jobs, on one database. */
export function workOf(scene: ApplicationScene) {
  const runners = new JobRunners([anyJob]);
  const trigger = new TriggerJob({ ...scene, runners });
  const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
  return {
    ...automationOf({ ...scene, runners, triggerJob: trigger, cancelJob: new CancelJob(scene) }),
    previewTimes: new PreviewTimes(scene),
    runners,
    listJobs: new ListJobs(scene),
    getJob: new GetJob(scene),
    cancelJob: new CancelJob(scene),
    followJob: new FollowJob(scene),
    readJobLog: new ReadJobLog(scene),
    triggerJob: trigger,
    requestDowngrade: new RequestDowngrade({ ...scene, triggerJob: trigger }),
    listStartableJobs: new ListStartableJobs({ ...scene, runners }),
    listTemplates: new ListTemplates(scene),
    getTemplate: new GetTemplate(scene),
    listDeployments: new ListDeployments(scene),
    manageTemplates: new ManageTemplates({ ...scene, renderer }),
  };
}
