import { type Command, InvalidArgumentError, Option } from 'commander';
import { PatchPolicies } from '../../../../application/automation/patch-policies.ts';
import {
  PreviewUpdates,
  type UpcomingUpdate,
  type UpdateTurn,
} from '../../../../application/automation/preview-updates.ts';
import {
  type Exclusion,
  type PatchPolicy,
  POLICY_JOB_TYPES,
  type PolicyJobType,
  type PolicyRules,
  policyNotFound,
} from '../../../../domain/automation/patch-policy.ts';
import {
  exclusionsText,
  readExclusion,
  readGroup,
  readRestartRule,
  rulesText,
  tagAndValue,
} from '../../../../domain/automation/policy-text.ts';
import { type GroupLimit, NO_ORDER, type Ring } from '../../../../domain/automation/update-order.ts';
import { rawSelector } from '../../../../domain/fleet/host-selector.ts';
import { forecastView } from '../../api/views/forecast-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { policyView } from '../../api/views/policy-view.ts';
import { listed, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { selectorWords } from '../find-server.ts';
import { hasSelector, type SelectorOptions, selectorOf, timeSpan, withSelector } from '../job-options.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf, pageText } from '../words.ts';

interface PolicyOptions extends SelectorOptions {
  readonly scheduled?: readonly PolicyJobType[];
  readonly updates?: 'all' | 'security';
  readonly minAge?: number;
  readonly minAgeByHand?: number;
  readonly securityAtOnce?: 'yes' | 'no';
  readonly rebootIfNeeded?: 'yes' | 'no';
  readonly restartUnhealthy?: string;
  readonly excludePackage?: readonly Exclusion[];
  readonly excludeImage?: readonly Exclusion[];
  readonly ring?: readonly Ring[];
  readonly order?: readonly string[];
  readonly atOnce?: readonly GroupLimit[];
  readonly name?: string;
}

export function addPolicyCommands(program: Command, runner: Runner): void {
  const policy = program.command('policy').description('manage patch policies: what updates may change');
  withExamples(
    withRules(
      policy
        .command('add')
        .description('create a patch policy; a policy for named servers comes before one for tags or all')
        .argument('<name>', 'name of the policy'),
    ).action(runner.run(add)),
    'drover policy add careful --all --min-age 72h --reboot-if-needed yes',
    'drover policy add rings --all --ring canary=24h --order db,app --at-once db=1',
    'drover policy add databases --tag db --updates security --exclude-image "postgres=needs a dump=2026-12-31"',
  );
  withExamples(
    withRules(
      policy
        .command('edit')
        .description('edit a policy; options you omit stay unchanged')
        .argument('<name>', 'name of the policy')
        .option('--name <name>', 'new name')
        .option('--no-exclusions', 'remove all exclusions')
        .option('--no-update-order', 'remove all rings, the order and all limits at once'),
    ).action(runner.run(edit)),
    'drover policy edit careful --min-age 24h',
  );
  withPage(policy.command('list').description('list policies by name'), 50).action(runner.read(list));
  withPage(
    policy.command('preview').description('list what the next scheduled update of each server will install'),
    50,
  ).action(runner.read(preview));
  withExamples(
    withYes(
      policy
        .command('remove')
        .description('delete a policy; servers without a policy get all updates')
        .argument('<name>', 'name of the policy'),
    ).action(runner.run(remove)),
    'drover policy remove careful',
  );
}

const yesNo = (flags: string, what: string): Option => new Option(flags, what).choices(['yes', 'no']);

const withRules = (command: Command): Command =>
  withSelector(command)
    .addOption(
      new Option(
        '--scheduled <list>',
        `which of ${POLICY_JOB_TYPES.join(', ')} schedules may start, or none (default: all)`,
      ).argParser(scheduledTypes),
    )
    .addOption(new Option('--updates <kind>', 'package updates to install').choices(['all', 'security']))
    .option(
      '--min-age <time>',
      'minimum age of a version for schedules, such as 72h (default: 72h)',
      timeSpan,
    )
    .option('--min-age-by-hand <time>', 'minimum age for other jobs (default: 0h)', timeSpan)
    .addOption(yesNo('--security-at-once <yes|no>', 'install security fixes at any age (default: yes)'))
    .addOption(
      yesNo('--reboot-if-needed <yes|no>', 'reboot after a package update that needs it (default: no)'),
    )
    .option(
      '--restart-unhealthy <rule>',
      'restart services of Compose projects: CHECKS/PER_DAY such as 3/5, of some projects 3/5=shop,blog, or never (default: never)',
    )
    .option(
      '--exclude-package <pattern=reason[=date]>',
      'packages to leave; repeatable',
      exclusion('package'),
    )
    .option('--exclude-image <pattern=reason[=date]>', 'images to leave; repeatable', exclusion('image'))
    .option(
      '--ring <tag=time>',
      'update these servers first, and the others only after this time without a problem; repeatable',
      ring,
    )
    .option('--order <tags>', 'update servers with the first tag before those with the next', (raw: string) =>
      listed(raw, undefined),
    )
    .option('--at-once <tag=count>', 'at most this many servers with a tag at once; repeatable', atOnce);

const ring = (raw: string, before: readonly Ring[] = []): readonly Ring[] => {
  const { tag, value } = tagAndValue(raw);
  return [...before, { tag, bakeMs: timeSpan(value) }];
};

const atOnce = (raw: string, before: readonly GroupLimit[] = []): readonly GroupLimit[] => [
  ...before,
  readGroup(raw),
];

function scheduledTypes(raw: string): readonly PolicyJobType[] {
  if (raw === 'none') return [];
  return listed(raw, undefined).map((type) => {
    const known = POLICY_JOB_TYPES.find((each) => each === type);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`The types are ${POLICY_JOB_TYPES.join(', ')}, or none.`);
  });
}

const exclusion =
  (kind: Exclusion['kind']) =>
  (raw: string, before: readonly Exclusion[] = []): readonly Exclusion[] => [
    ...before,
    readExclusion(kind, raw),
  ];

/** Only those that are given. */
function rulesOf(options: PolicyOptions): Partial<PolicyRules> {
  const exclusions = [...(options.excludePackage ?? []), ...(options.excludeImage ?? [])];
  return {
    ...(options.scheduled === undefined ? {} : { scheduledTypes: options.scheduled }),
    ...(options.updates === undefined ? {} : { securityOnly: options.updates === 'security' }),
    ...(options.minAge === undefined ? {} : { minAgeMs: options.minAge }),
    ...(options.minAgeByHand === undefined ? {} : { minAgeByHandMs: options.minAgeByHand }),
    ...(options.securityAtOnce === undefined ? {} : { securityAtOnce: options.securityAtOnce === 'yes' }),
    ...(options.rebootIfNeeded === undefined ? {} : { rebootIfNeeded: options.rebootIfNeeded === 'yes' }),
    ...(options.restartUnhealthy === undefined
      ? {}
      : { restartUnhealthy: readRestartRule(options.restartUnhealthy) }),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(options.ring === undefined ? {} : { rings: options.ring }),
    ...(options.order === undefined ? {} : { order: options.order }),
    ...(options.atOnce === undefined ? {} : { groups: options.atOnce }),
  };
}

async function add(session: Session, name: string, options: PolicyOptions): Promise<Reply> {
  const policy = await session.useCases.get(PatchPolicies).add(session.actor, {
    name,
    selector: await selectorOf(session, options),
    ...rulesOf(options),
  });
  const words = await selectorWords(session, [policy.selector]);
  return {
    json: policyView(policy),
    text: `Added the policy ${name} for ${words(policy.selector)}: ${rulesText(policy)}.\n`,
  };
}

async function edit(
  session: Session,
  name: string,
  {
    exclusions,
    updateOrder,
    ...options
  }: PolicyOptions & { readonly exclusions?: boolean; readonly updateOrder?: boolean },
): Promise<Reply> {
  const clears = {
    ...(exclusions === false ? { exclusions: [] } : {}),
    ...(updateOrder === false ? NO_ORDER : {}),
  };
  if (Object.keys(clears).length === 0 && !Object.values(options).some((each) => each !== undefined))
    throw new UsageError('specify what to change; see drover policy edit --help.');
  const before = await findPolicy(session, name);
  const { id, createdBy: _by, createdAt: _at, selector, ...rules } = before;
  const policy = await session.useCases.get(PatchPolicies).edit(session.actor, id, {
    ...rules,
    ...clears,
    ...rulesOf(options),
    name: options.name ?? name,
    selector: hasSelector(options) ? await selectorOf(session, options) : rawSelector(selector),
  });
  const words = await selectorWords(session, [policy.selector]);
  return {
    json: policyView(policy),
    text: `Changed the policy ${policy.name} for ${words(policy.selector)}: ${rulesText(policy)}.\n`,
  };
}

const PAGE = 100;

async function findPolicy(session: Session, name: string): Promise<PatchPolicy> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await session.useCases.get(PatchPolicies).list(session.actor, { limit: PAGE, offset });
    const found = page.items.find((policy) => policy.name === name);
    if (found) return found;
    if (offset + PAGE >= page.total) throw policyNotFound(`"${name.slice(0, 60)}"`);
  }
}

async function list(session: Session, page: PageOptions): Promise<Reply> {
  const found = await session.useCases.get(PatchPolicies).list(session.actor, page);
  const words = await selectorWords(
    session,
    found.items.map(({ selector }) => selector),
  );
  const rows = found.items.map((policy) => [
    policy.id,
    policy.name,
    words(policy.selector),
    rulesText(policy),
    exclusionsText(policy) || '-',
  ]);
  return {
    json: { policies: found.items.map(policyView), ...pageView(found) },
    text: pageText(
      found,
      'There are no patch policies: jobs install all updates.\n',
      table(['ID', 'NAME', 'SERVERS', 'RULES', 'EXCLUDED'], rows),
    ),
  };
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Delete the patch policy ${name}?`);
  const policy = await session.useCases.get(PatchPolicies).remove(session.actor, name);
  return { json: { ok: true, id: policy.id, name }, text: `Deleted the policy ${name}.\n` };
}

async function preview(session: Session, page: PageOptions): Promise<Reply> {
  const found = await session.useCases.get(PreviewUpdates).execute(session.actor, page);
  const rows = found.items.flatMap(({ server, policy, updates }) =>
    updates.length === 0
      ? [[server.name, '-', '-', '-', policy?.name ?? '-', 'nothing: no schedule updates it']]
      : updates.map((each) => [
          server.name,
          each.jobType,
          localTime(each.at),
          turnText(each.turn),
          policy?.name ?? '-',
          resultText(each),
        ]),
  );
  return {
    json: { servers: found.items.map(forecastView), ...pageView(found) },
    text: table(['SERVER', 'JOB', 'AT', 'TURN', 'POLICY', 'RESULT'], rows) + moreOf(found),
  };
}

const turnText = (turn: UpdateTurn | null): string =>
  turn === null
    ? '-'
    : `${turn.turn ?? '-'} (ring ${turn.ring}${turn.ringTag === null ? '' : `: ${turn.ringTag}`})`;

function resultText({ refusal, installs, held }: UpcomingUpdate): string {
  if (refusal !== null) return `does not start: ${refusal.message}`;
  const what = installs === null ? 'unknown until Drover reads the server' : `installs ${installs.length}`;
  const first = held[0];
  return first === undefined ? what : `${what}, holds back ${held.length} (${first.name}: ${first.reason})`;
}
