import { EemeliYamlText } from '../../src/adapters/yaml/eemeli-yaml-text.ts';
import { CancelJob } from '../../src/application/cancel-job.ts';
import { FollowJob } from '../../src/application/follow-job.ts';
import { GetJob } from '../../src/application/get-job.ts';
import { type JobRunner, JobRunners } from '../../src/application/jobs/runner.ts';
import { ListJobs } from '../../src/application/list-jobs.ts';
import type { InventoryStore } from '../../src/application/ports/inventory-store.ts';
import { PreviewTimes } from '../../src/application/preview-times.ts';
import { ReadJobLog } from '../../src/application/read-job-log.ts';
import { ListStartableJobs } from '../../src/application/startable-jobs.ts';
import {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../src/application/templates/list-templates.ts';
import { ManageTemplates } from '../../src/application/templates/manage-templates.ts';
import { TemplateRenderer } from '../../src/application/templates/template-renderer.ts';
import { TriggerJob } from '../../src/application/trigger-job.ts';
import { JOB_TYPES } from '../../src/domain/jobs/job.ts';
import type { ApplicationScene } from './application-scene.ts';
import { automationOf } from './automation.ts';

/** Takes any job, and runs none. */
const anyJob: JobRunner = {
  types: JOB_TYPES,
  timeLimitMs: 60_000,
  plan: () => Promise.reject(new Error('not run here')),
  apply: () => Promise.reject(new Error('not run here')),
};

/** What the pages about work call, on stores in memory. */
export function workOf(scene: ApplicationScene, { inventories }: { readonly inventories: InventoryStore }) {
  const runners = new JobRunners([anyJob]);
  const trigger = new TriggerJob({ ...scene, runners });
  const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
  return {
    ...automationOf({ ...scene, runners, trigger, cancel: new CancelJob(scene) }),
    previewTimes: new PreviewTimes(scene),
    runners,
    listJobs: new ListJobs(scene),
    getJob: new GetJob(scene),
    cancelJob: new CancelJob(scene),
    followJob: new FollowJob(scene),
    readJobLog: new ReadJobLog(scene),
    triggerJob: trigger,
    listStartableJobs: new ListStartableJobs({ ...scene, inventories, runners }),
    listTemplates: new ListTemplates(scene),
    getTemplate: new GetTemplate(scene),
    listDeployments: new ListDeployments(scene),
    manageTemplates: new ManageTemplates({ ...scene, renderer }),
  };
}
