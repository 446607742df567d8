import { type Command, Option } from 'commander';
import { ApprovalPlans } from '../../../../application/jobs/approval-plans.ts';
import { ApprovalRules } from '../../../../application/jobs/approval-rules.ts';
import { ApproveRequest, RefuseRequest } from '../../../../application/jobs/decide-approval.ts';
import {
  type ApprovalDetail,
  GetApproval,
  ListApprovals,
} from '../../../../application/jobs/list-approvals.ts';
import { ruleText } from '../../../../domain/access/approval-rule.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago, count } from '../../../../domain/base/spans.ts';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalState,
  approvalTitle,
  approversOf,
} from '../../../../domain/jobs/approval.ts';
import type { ChangePreview } from '../../../../domain/jobs/requested-change.ts';
import { approvalView } from '../../api/views/approval-view.ts';
import { jobDetailView, jobView } from '../../api/views/job-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { approvalRuleView } from '../../api/views/token-view.ts';
import { changedRule, type RuleOptions, withRule } from '../approval-rule-options.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { paramsText } from '../batch-text.ts';
import { EXIT } from '../exit-codes.ts';
import { localTime, type Text } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { properties, table } from '../table.ts';
import { pageText } from '../words.ts';

interface ListOptions extends PageOptions {
  readonly state?: ApprovalState;
}

interface ApproveOptions {
  readonly note?: string;
  readonly override?: true;
  /** commander's form of --no-plan, beside --plan. */
  readonly plan?: number | false;
}

export function addApprovalCommands(program: Command, runner: Runner): void {
  const approval = program.command('approval').description('review, approve or decline requests of agents');
  withExamples(
    withPage(
      approval
        .command('list')
        .description('list requests, newest first')
        .addOption(new Option('--state <state>', 'in this state only').choices(APPROVAL_STATES)),
      50,
    ).action(runner.read(list)),
    'drover approval list --state waiting',
  );
  approval
    .command('show')
    .description('show a request with its dry run')
    .argument('<id>', 'id of the request', id)
    .action(runner.run(show));
  withExamples(
    approval
      .command('approve')
      .description('approve a request; it applies exactly the plan that you reviewed, or nothing')
      .argument('<id>', 'id of the request', id)
      .option('--plan <job>', 'job id of the dry run that you reviewed (default: the latest)', id)
      .option('--no-plan', 'apply whatever changes are needed when the job runs')
      .option('--note <text>', 'your reason; the audit log keeps it')
      .option('--override', 'approve alone although the rule needs other users; needs --note')
      .action(runner.run(approve)),
    'drover approval approve 7',
    'drover approval approve 7 --plan 42',
  );
  withExamples(
    withRule(approval.command('rule').description('show or set who has to approve requests')).action(
      runner.run(rule),
    ),
    'drover approval rule --four-eyes --approvers 2',
    'drover approval rule --no-four-eyes --approvers 1 --approver-role operator',
  );
  approval
    .command('plan')
    .description('repeat the dry run')
    .argument('<id>', 'id of the request', id)
    .action(runner.run(plan));
  withExamples(
    approval
      .command('decline')
      .alias('refuse')
      .description('decline a request; the requester sees your reason')
      .argument('<id>', 'id of the request', id)
      .option('--note <text>', 'your reason; the audit log keeps it')
      .action(runner.run(refuse)),
    'drover approval decline 7 --note "not before Monday"',
  );
}

async function rule({ useCases, actor }: Session, options: RuleOptions): Promise<Reply> {
  const rules = useCases.get(ApprovalRules);
  const before = await rules.get(actor);
  const wanted = changedRule(options, before);
  const now = wanted === undefined ? before : await rules.set(actor, wanted);
  return { json: approvalRuleView(now), text: `Requests need the approval of ${ruleText(now)}.\n` };
}

const HEADING = ['ID', 'STATE', 'ACTION', 'ON', 'REQUESTED', 'BY', 'UNTIL', 'DECIDED BY'];

async function list(session: Session, { state, limit, offset }: ListOptions): Promise<Reply> {
  const page = await session.useCases.get(ListApprovals).execute(session.actor, { state, limit, offset });
  const rows = page.items.map((each) => [
    each.id,
    each.state,
    approvalTitle(each),
    each.subject,
    ago(each.createdAt, session.now()),
    each.requester.label,
    localTime(each.expiresAt),
    each.decidedBy,
  ]);
  return {
    json: { approvals: page.items.map(approvalView), ...pageView(page) },
    text: pageText(page, 'No requests found.\n', table(HEADING, rows)),
  };
}

async function show(session: Session, approvalId: number): Promise<Reply> {
  const found = await session.useCases.get(GetApproval).execute(session.actor, approvalId);
  const { approval, job, plan: dryRun, planLog, preview, standing } = found;
  return {
    json: {
      approval: approvalView(approval),
      job: job && jobView(job),
      plan: dryRun && jobDetailView({ job: dryRun, now: session.now(), usualMs: null, lines: planLog }),
      preview: preview && { facts: preview.facts, diff: preview.diff },
      rule: approvalRuleView(standing.rule),
      approvals_missing: standing.missing,
    },
    text: detailText(found),
  };
}

function detailText({
  approval,
  job,
  batch,
  plan: dryRun,
  planLog,
  preview,
  standing,
}: ApprovalDetail): Text {
  const { change, jobId, batchId } = approval;
  const what = change !== null ? change.summary : jobId === null ? `batch ${batchId}` : `job ${jobId}`;
  const params = job?.params ?? batch?.params;
  const facts = properties([
    ['Request', `${approval.id}, ${named(approval)} (${what})`],
    ['State', approval.state],
    ['Requested by', `${approval.requester.label}, ${localTime(approval.createdAt)}`],
    ['Reason', job?.reason ?? null],
    ['Until', localTime(approval.expiresAt)],
    ['Parameters', params ? paramsText(params) : null],
    ['Needs', approval.state === 'waiting' ? ruleText(standing.rule) : null],
    ['Approved by', approversOf(approval).join(', ') || null],
    ['Missing', standing.missing > 0 ? count(standing.missing, 'approval') : null],
    ['Decided by', approval.decidedBy],
    ['Note', approval.note],
    ['Result', change && [change.outcome, change.outcomeDetail].filter(Boolean).join(': ')],
    ['Dry run', dryRun && `job ${dryRun.id}, ${dryRun.status}: ${dryRun.summary ?? dryRun.current ?? ''}`],
  ]);
  const lines = preview === null ? planLog : previewLines(preview);
  return lines.length === 0 ? facts : [facts, { verbatim: `\n${lines.join('\n')}\n` }];
}

const previewLines = ({ facts, diff }: ChangePreview): readonly string[] => [
  ...facts.map(({ name, before, after }) => `${name}: ${[before, after].filter(Boolean).join(' -> ')}`),
  ...(diff === null ? [] : ['', diff]),
];

async function approve(
  session: Session,
  approvalId: number,
  { note, plan: planId, override }: ApproveOptions,
): Promise<Reply> {
  const approval = await session.useCases.get(ApproveRequest).execute(session.actor, approvalId, {
    note,
    ...(typeof planId === 'number' ? { planId } : {}),
    withoutPlan: planId === false,
    override,
  });
  if (approval.change !== null) {
    const { outcome, outcomeDetail } = approval.change;
    const isDone = outcome === 'done';
    return {
      json: approvalView(approval),
      text: isDone
        ? `${named(approval)} is approved and done.\n`
        : `${named(approval)} is approved, but ${outcome === 'failed' ? 'failed' : 'its result is unknown'}: ${outcomeDetail}\n`,
      ...(isDone ? {} : { exitCode: EXIT.failed }),
    };
  }
  const follow =
    approval.jobId === null
      ? shellCommand`drover batch show ${approval.batchId}`
      : shellCommand`drover job show ${approval.jobId}`;
  return {
    json: approvalView(approval),
    text: `${named(approval)} is approved. Follow it with: ${follow}\n`,
  };
}

async function plan(session: Session, approvalId: number): Promise<Reply> {
  const job = await session.useCases.get(ApprovalPlans).execute(session.actor, approvalId);
  return {
    json: jobView(job),
    text: `Job ${job.id} is the dry run; once it has ended: ${shellCommand`drover approval show ${approvalId}`}\n`,
  };
}

async function refuse(session: Session, approvalId: number, { note }: ApproveOptions): Promise<Reply> {
  const approval = await session.useCases.get(RefuseRequest).execute(session.actor, approvalId, { note });
  return { json: approvalView(approval), text: `${named(approval)} is declined.\n` };
}

/** `Update packages (os_patch) on web`. */
const named = (approval: Approval): string =>
  `${approvalTitle(approval)} (${approval.jobType ?? approval.change?.kind}) on ${approval.subject}`;
