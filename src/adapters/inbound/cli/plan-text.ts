import { shellCommand, shellWord } from '../../../domain/base/shell-command.ts';
import type { Job } from '../../../domain/jobs/job.ts';
import { takesPlan } from '../../../domain/jobs/job-types.ts';

/** How to apply a dry run's plan; empty for a job without a plan. */
export function planText(job: Job): string {
  if (!job.params.dryRun || !takesPlan(job.jobType)) return '';
  if (job.status === 'failed' || job.status === 'cancelled') return '';
  const { template, orderId } = job.params;
  const how =
    template === undefined && orderId === undefined
      ? `with: ${applyCommand(job)}`
      : // Values of variables can be secret.
        shellCommand`with the same command, --plan ${job.id} instead of --dry-run`;
  if (job.status !== 'success') return `After it succeeds, apply its plan ${how}\n`;
  return typeof job.result?.['plan_id'] === 'number' ? `Apply this plan ${how}\n` : '';
}

/** A plan applies to the parameters of its dry run only. */
function applyCommand({ id, serverName, jobType, params }: Job): string {
  const { dump, snapshotId } = params;
  if (dump !== undefined && snapshotId !== undefined) {
    const into = dump.database === null ? '' : shellCommand` --database ${dump.database}`;
    return `${shellCommand`drover dump restore ${snapshotId} ${dump.name}`}${into} --plan ${id} --follow`;
  }
  if (params.updateJobId !== undefined)
    return shellCommand`drover job downgrade ${params.updateJobId} --plan ${id} --follow`;
  const options: readonly (readonly [flag: string, value: string | number | null | undefined])[] = [
    ['--source', params.sourceFilter],
    ['--service', params.service],
    ['--os-step', params.osSteps?.join(',')],
    ['--grace', params.graceSeconds === undefined ? null : `${params.graceSeconds}s`],
    ['--observe', params.observeMinutes],
    ['--wait-for-host', params.waitForHostMinutes],
    ['--plan', id],
  ];
  const given = options.flatMap(([flag, value]) =>
    value === null || value === undefined ? [] : [`${flag} ${shellWord(value)}`],
  );
  return [
    'drover job start',
    shellWord(serverName),
    jobType,
    ...(params.prune ? ['--prune'] : []),
    ...(params.guard === undefined ? [] : [params.guard ? '--guard' : '--no-guard']),
    ...given,
    '--follow',
  ].join(' ');
}
