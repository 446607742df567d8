import type { Command } from 'commander';
import { RequestDowngrade } from '../../../../application/fleet/request-downgrade.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { jobView } from '../../api/views/job-view.ts';
import { id, withExamples } from '../arguments.ts';
import { planText } from '../plan-text.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { ending, type FollowOptions, withFollow } from './job-follow.ts';

interface DowngradeOptions extends FollowOptions {
  readonly plan?: number;
  readonly outsideWindow?: true;
}

/** Packages of an update go back: first as a dry run, then by its plan. */
export function addJobDowngradeCommand(job: Command, runner: Runner): void {
  withExamples(
    withFollow(
      job
        .command('downgrade')
        .description(
          'plan the downgrade of the packages that an update changed, or apply that plan (apt and dnf)',
        )
        .argument('<job>', "the update's id", id),
    )
      .option('--plan <job>', 'apply exactly the plan of this dry run, or nothing', id)
      .option('--outside-window', 'start even if maintenance windows are closed; the audit log records it')
      .action(runner.run(downgrade)),
    'drover job downgrade 17 --wait',
    'drover job downgrade 17 --plan 18 --follow',
  );
}

async function downgrade(session: Session, updateJobId: number, options: DowngradeOptions): Promise<Reply> {
  const { plan, outsideWindow } = options;
  const request = { updateJobId, planId: plan, outsideWindow };
  const started = await session.useCases.get(RequestDowngrade).execute(session.actor, request);
  if (options.wait || options.follow) return ending(session, started.id, options);
  return {
    json: jobView(started),
    text: `Job ${started.id} is ${started.status}. Follow it with: ${shellCommand`drover job show ${started.id} --follow`}\n${planText(started)}`,
  };
}
