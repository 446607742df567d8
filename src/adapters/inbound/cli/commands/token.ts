import { type Command, Option } from 'commander';
import {
  AGENT_CLIENTS,
  type AgentClient,
  clientSnippet,
} from '../../../../application/access/client-snippets.ts';
import { EditToken } from '../../../../application/access/edit-token.ts';
import { IssueToken } from '../../../../application/access/issue-token.ts';
import {
  GetToken,
  ListTokens,
  RevokeToken,
  RotateToken,
} from '../../../../application/access/manage-tokens.ts';
import { ListSchedules } from '../../../../application/automation/list-schedules.ts';
import {
  APPROVAL_MODES,
  type ApiToken,
  type ApprovalMode,
  approvalsBy,
  type TokenRequest,
} from '../../../../domain/access/api-token.ts';
import { USUAL_RULE } from '../../../../domain/access/approval-rule.ts';
import { SCOPES, scopeWarning } from '../../../../domain/access/scope.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { pageView } from '../../api/views/page-view.ts';
import { scheduleOverviewView, switchedOffView } from '../../api/views/schedule-view.ts';
import { tokenView } from '../../api/views/token-view.ts';
import { changedRule, type RuleOptions, withRule } from '../approval-rule-options.ts';
import { id, listed, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { selectorWords, serverIds } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { SCHEDULE_HEADING, scheduleRow, switchedOffText } from '../schedule-text.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { approvalText, tokenFacts, tokenTable } from '../token-text.ts';
import { moreOf, pageText } from '../words.ts';

interface CreateOptions extends RuleOptions {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires?: string;
  readonly cidr?: readonly string[];
  readonly server?: readonly string[];
  readonly requireApproval?: true;
  readonly approval?: ApprovalMode;
  readonly client?: AgentClient;
}

/** The service's name in agents' clients. */
const LABEL = 'drover';

const clientOption = (): Option =>
  new Option('--client <name>', 'show the configuration for this client (default: json)').choices(
    AGENT_CLIENTS,
  );

const approvalOption = (): Option =>
  new Option(
    '--approval <who>',
    'who approves its jobs and changes: the user of the agent in a client that can ask, otherwise a reviewer (client); a reviewer; or none, so that it acts at once',
  ).choices(APPROVAL_MODES);

export function addTokenCommands(program: Command, runner: Runner): void {
  const token = program.command('token').description('manage API tokens for agents and scripts');
  withExamples(
    withRule(
      token
        .command('create')
        .description('create a token; its secret is shown only once')
        .requiredOption('--name <name>', 'what the token is for')
        .addOption(
          new Option('--scopes <list>', `what it may do: ${SCOPES.join(', ')}`)
            .argParser(listed)
            .makeOptionMandatory(),
        )
        .option('--expires <when>', 'a day (2027-01-31), a timestamp with offset, or days from now (30d)')
        .option('--cidr <list>', 'addresses that may use it, such as 192.0.2.0/24 (default: any)', listed)
        .option(
          '--server <list>',
          'servers that it can access, by id or name (default: all, including future ones)',
          listed,
        )
        .addOption(approvalOption().conflicts('requireApproval'))
        .option('--require-approval', 'the same as --approval reviewer'),
    )
      .addOption(clientOption())
      .action(runner.run(create)),
    'drover token create --name mcp-try --scopes read,jobs --client claude',
    'drover token create --name nightly --scopes read,jobs,feature:backup --server web,db --expires 90d',
  );
  withPage(token.command('list').description('list tokens, without their secrets'), 50).action(
    runner.read(list),
  );
  withPage(
    token
      .command('show')
      .description('show a token and the schedules that it owns')
      .argument('<id>', 'id of the token', id),
    50,
  ).action(runner.run(show));
  withExamples(
    withRule(
      token
        .command('edit')
        .description('edit a token; options you omit and the secret stay unchanged')
        .argument('<id>', 'id of the token', id)
        .option('--name <name>', 'what the token is for')
        .addOption(new Option('--scopes <list>', `what it may do: ${SCOPES.join(', ')}`).argParser(listed))
        .option('--expires <when>', 'a day, a timestamp with offset, days from now (30d), or never')
        .option('--cidr <list>', 'addresses that may use it, or any', listed)
        .option('--server <list>', 'servers that it can access, by id or name, or all', listed)
        .addOption(approvalOption().conflicts('requireApproval'))
        .option('--require-approval', 'the same as --approval reviewer')
        .option('--no-require-approval', 'the same as --approval none'),
    ).action(runner.run(edit)),
    'drover token edit 3 --scopes read,jobs --server web,db',
    'drover token edit 3 --expires never --cidr any',
  );
  withExamples(
    token
      .command('rotate')
      .description('create a new secret for a token; the old one stops working immediately')
      .argument('<id>', 'id of the token', id)
      .addOption(clientOption())
      .action(runner.run(rotate)),
    'drover token rotate 3',
  );
  withExamples(
    token
      .command('revoke')
      .description('revoke a token; it stays listed')
      .argument('<id>', 'id of the token', id)
      .action(runner.run(revoke)),
    'drover token revoke 3',
  );
}

async function create(session: Session, options: CreateOptions): Promise<Reply> {
  const request: TokenRequest = {
    name: options.name,
    scopes: options.scopes,
    allowedCidrs: options.cidr ?? [],
    allowedServerIds: options.server ? await serverIds(session, options.server) : null,
    ...approvalsBy(options.approval ?? (options.requireApproval ? 'reviewer' : 'none')),
    approvalRule: changedRule(options, USUAL_RULE) ?? null,
    expires: options.expires ?? null,
  };
  const { token, secret } = await session.useCases.get(IssueToken).execute(session.actor, request);
  warnOfScopes(session, token);
  const changes = token.scopes.some((scope) => scope !== 'read');
  const approval = changes ? ` Approval: ${approvalText(token)}.` : '';
  return withSecret(
    session,
    { token, secret },
    options,
    `Created token ${token.id} (${token.name}).${approval}`,
  );
}

interface EditOptions extends Partial<Omit<CreateOptions, 'requireApproval' | 'client'>> {
  readonly requireApproval?: boolean;
}

async function edit(session: Session, tokenId: number, options: EditOptions): Promise<Reply> {
  const { name, scopes, cidr, server, requireApproval, approval, expires } = options;
  const before = await session.useCases.get(GetToken).execute(session.actor, tokenId);
  const approvalRule = changedRule(options, before.approvalRule ?? USUAL_RULE);
  const { token, switchedOff } = await session.useCases.get(EditToken).execute(session.actor, tokenId, {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(cidr === undefined ? {} : { allowedCidrs: isWord(cidr, 'any') ? [] : cidr }),
    ...(server === undefined
      ? {}
      : { allowedServerIds: isWord(server, 'all') ? null : await serverIds(session, server) }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
    ...(approval === undefined ? {} : approvalsBy(approval)),
    ...(approvalRule === undefined ? {} : { approvalRule }),
    ...(expires === undefined ? {} : { expires: expires === 'never' ? null : expires }),
  });
  if (scopes !== undefined) warnOfScopes(session, token);
  return {
    json: { ...tokenView(token, session.now()), schedules_switched_off: switchedOffView(switchedOff) },
    text: `Changed token ${token.id} (${token.name}). Every replica applies this within 3 s.\n${switchedOffText(switchedOff)}`,
  };
}

function warnOfScopes(session: Session, { id: tokenId, scopes }: ApiToken): void {
  const warning = scopeWarning(scopes);
  if (warning === null) return;
  const fix = shellCommand`drover token edit ${tokenId} --scopes ${['read', ...scopes].join(',')}`;
  session.io.err(`Warning: ${warning}\n  ${fix}\n`);
}

/** A word in place of a list: commander takes null for no value at all. */
const isWord = (words: readonly string[], word: string): boolean => words.length === 1 && words[0] === word;

async function rotate(
  session: Session,
  tokenId: number,
  options: Pick<CreateOptions, 'client'>,
): Promise<Reply> {
  const { token, secret } = await session.useCases.get(RotateToken).execute(session.actor, tokenId);
  return withSecret(
    session,
    { token, secret },
    options,
    `Token ${token.id} (${token.name}) has a new secret. Every replica refuses the old one within 3 s.`,
  );
}

async function revoke(session: Session, tokenId: number): Promise<Reply> {
  const { token, switchedOff } = await session.useCases.get(RevokeToken).execute(session.actor, tokenId);
  return {
    json: { ...tokenView(token, session.now()), schedules_switched_off: switchedOffView(switchedOff) },
    text: `Token ${token.id} (${token.name}) is revoked. Every replica refuses it within 3 s.\n${switchedOffText(switchedOff)}`,
  };
}

async function show(session: Session, tokenId: number, page: PageOptions): Promise<Reply> {
  const { useCases, actor } = session;
  const token = await useCases.get(GetToken).execute(actor, tokenId);
  const owned = await useCases
    .get(ListSchedules)
    .execute(actor, page, { owner: { kind: 'token', id: token.id } });
  const now = session.now();
  const facts = tokenFacts(token, now);
  const words = await selectorWords(
    session,
    owned.items.map(({ schedule }) => schedule.selector),
  );
  const rows = owned.items.map((each) => [...scheduleRow(each, words), each.schedule.offReason]);
  return {
    json: {
      ...tokenView(token, now),
      schedules: owned.items.map(scheduleOverviewView),
      ...pageView(owned),
    },
    text:
      rows.length === 0
        ? `${facts}\nIt owns no schedules.\n`
        : `${facts}\n${table([...SCHEDULE_HEADING, 'SWITCHED OFF'], rows, { last: 'whole' })}${moreOf(owned)}`,
  };
}

async function list(session: Session, page: PageOptions): Promise<Reply> {
  const tokens = await session.useCases.get(ListTokens).execute(session.actor, page);
  const now = session.now();
  return {
    json: { tokens: tokens.items.map((token) => tokenView(token, now)), ...pageView(tokens) },
    text: pageText(
      tokens,
      'There are no tokens. Create one with: drover token create --name NAME --scopes read\n',
      tokenTable(tokens.items, now),
    ),
  };
}

function withSecret(
  session: Session,
  { token, secret }: { readonly token: ApiToken; readonly secret: string },
  { client }: Pick<CreateOptions, 'client'>,
  sentence: string,
): Reply {
  const { publicUrl, httpPort, adapterPath } = session.settings;
  const snippet = clientSnippet(client ?? 'json', { publicUrl, httpPort, adapterPath, secret, label: LABEL });
  const { title, file, warning, text, notes } = snippet;
  return {
    // A script that names no client wants the token alone.
    json: {
      ...tokenView(token, session.now()),
      secret,
      ...(client === undefined ? {} : { client: snippet }),
    },
    text: [
      `${sentence} Its secret, which is shown only once:\n\n  ${secret}\n\n`,
      ...(warning === null ? [] : [`${warning}\n\n`]),
      `${title}: ${file}\n\n${text}`,
      ...(notes.length > 0 ? [`\n${notes.join('\n')}\n`] : []),
    ].join(''),
  };
}
