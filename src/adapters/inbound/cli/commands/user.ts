import { type Command, Option } from 'commander';
import { OfferSetup } from '../../../../application/access/account-links.ts';
import { LinkIdentity } from '../../../../application/access/link-identity.ts';
import { ManageUsers } from '../../../../application/access/manage-users.ts';
import { TwoFactorPolicy } from '../../../../application/access/two-factor-policy.ts';
import type { ChangedUser } from '../../../../application/automation/switched-off-schedules.ts';
import type { Passkey } from '../../../../domain/access/passkey.ts';
import { ROLES, TWO_FACTOR_RULES } from '../../../../domain/access/role.ts';
import { NO_ROLE, USER_ROLES, type User } from '../../../../domain/access/user.ts';
import { roleSummary } from '../../../../domain/access/user-roles.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { count } from '../../../../domain/base/spans.ts';
import { pageView } from '../../api/views/page-view.ts';
import { switchedOffView } from '../../api/views/schedule-view.ts';
import { userView } from '../../api/views/user-view.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { linkJson, linkText } from '../link-text.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import { switchedOffText } from '../schedule-text.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

export function addUserCommands(program: Command, runner: Runner): void {
  const user = program.command('user').description('manage web UI users');
  withExamples(
    named(user.command('add'), 'invite a user; they set their password with the link')
      .addOption(new Option('--role <role>', 'what they may do').choices(USER_ROLES).default('viewer'))
      .action(runner.run(add)),
    'drover user add ann --role operator',
  );
  withPage(user.command('list').description('list users by name'), 50).action(runner.read(list));
  withExamples(
    named(user.command('link'), 'create a link to set a new password; earlier links stop working').action(
      runner.run(link),
    ),
    'drover user link ann',
  );
  withExamples(
    named(user.command('role'), 'change what a user may do on all servers')
      .argument('<role>', USER_ROLES.join(', '))
      .action(runner.run(role)),
    'drover user role ann administrator',
  );
  named(user.command('show'), 'show a user and their roles').action(runner.read(show));
  withExamples(
    named(user.command('grant'), 'give a user a role on the servers with a tag')
      .addOption(tagOption())
      .addOption(new Option('--role <role>', 'what they may do there').choices(ROLES).makeOptionMandatory())
      .action(runner.run(grant)),
    'drover user grant ann --tag web --role operator',
  );
  withExamples(
    named(user.command('revoke'), "remove a user's role on the servers with a tag")
      .addOption(tagOption())
      .action(runner.run(revoke)),
    'drover user revoke ann --tag web',
  );
  withYes(named(user.command('disable'), 'disable a user and end their sessions')).action(
    runner.run(disable),
  );
  named(user.command('enable'), 'let a user sign in again').action(runner.run(enable));
  withYes(named(user.command('end-sessions'), 'sign a user out of all browsers')).action(
    runner.run(endSessions),
  );
  withYes(
    named(
      user.command('remove-totp'),
      "remove a user's two-factor authentication and passkeys (lost device and recovery codes)",
    ),
  ).action(runner.run(removeTotp));
  withYes(
    named(
      user.command('unlink'),
      'separate a user from their account at a provider, and end their sessions; they keep their password',
    ),
  ).action(runner.run(unlink));
  named(user.command('passkeys'), "list a user's passkeys").action(runner.read(passkeys));
  withExamples(
    withYes(
      named(user.command('remove-passkey'), 'remove a passkey of a user and end their sessions').argument(
        '<id>',
        'id of the passkey',
        id,
      ),
    ).action(runner.run(removePasskey)),
    'drover user remove-passkey ann 3 --yes',
  );
  withExamples(
    user
      .command('two-factor')
      .description('show or set which accounts need two-factor authentication')
      .argument('[accounts]', TWO_FACTOR_RULES.join(', '))
      .action(runner.run(twoFactor)),
    'drover user two-factor administrators',
    'drover user two-factor none',
  );
  user
    .command('setup')
    .description('create a new setup link for the first administrator')
    .action(runner.run(setup));
}

const named = (command: Command, description: string): Command =>
  command.description(description).argument('<name>', 'name of the user');

const tagOption = (): Option => new Option('--tag <tag>', 'tag of the servers').makeOptionMandatory();

async function add(
  { useCases, actor, settings }: Session,
  name: string,
  options: { role: string },
): Promise<Reply> {
  const { user, link: offered } = await useCases.get(ManageUsers).invite(actor, { name, role: options.role });
  return {
    json: { user: userView(user), ...linkJson(settings, offered) },
    text: `Invited ${user.name} as ${roleSummary(user)}.\n${linkText(settings, offered)}`,
  };
}

async function list({ useCases, actor }: Session, page: PageOptions): Promise<Reply> {
  const found = await useCases.get(ManageUsers).list(actor, page);
  const rows = found.items.map((user) => [
    user.name,
    roleSummary(user),
    stateOf(user),
    user.hasTotp ? 'yes' : 'no',
    String(user.passkeys),
    user.lastLoginAt === null ? null : localTime(user.lastLoginAt),
  ]);
  return {
    json: { users: found.items.map(userView), ...pageView(found) },
    text: pageText(
      found,
      'No users yet: "drover user setup" creates a link for the first administrator.\n',
      table(['NAME', 'ROLE', 'STATE', 'TOTP', 'PASSKEYS', 'LAST SIGN-IN'], rows),
    ),
  };
}

async function link(session: Session, name: string): Promise<Reply> {
  const { useCases, actor, settings } = session;
  const offered = await useCases
    .get(ManageUsers)
    .offerLink(actor, await useCases.get(ManageUsers).get(actor, name));
  return { json: linkJson(settings, offered), text: linkText(settings, offered) };
}

async function role({ useCases, actor }: Session, name: string, wanted: string): Promise<Reply> {
  const before = await useCases.get(ManageUsers).get(actor, name);
  return rolesReply(await useCases.get(ManageUsers).setRole(actor, before, wanted));
}

const rolesReply = ({ user, switchedOff }: ChangedUser): Reply => ({
  json: { ...userView(user), schedules_switched_off: switchedOffView(switchedOff) },
  text: `${user.name} is now ${roleSummary(user)}.\n${switchedOffText(switchedOff)}`,
});

async function show({ useCases, actor }: Session, name: string): Promise<Reply> {
  const user = await useCases.get(ManageUsers).get(actor, name);
  const rows = [
    ['all servers', user.role ?? NO_ROLE],
    ...user.tagRoles.map(({ tag, role: held }) => [`tag ${tag}`, held]),
  ];
  return { json: userView(user), text: `${user.name}: ${stateOf(user)}\n\n${table(['ON', 'ROLE'], rows)}` };
}

async function grant(
  { useCases, actor }: Session,
  name: string,
  options: { tag: string; role: string },
): Promise<Reply> {
  const before = await useCases.get(ManageUsers).get(actor, name);
  return rolesReply(await useCases.get(ManageUsers).setTagRole(actor, before, options.tag, options.role));
}

async function revoke({ useCases, actor }: Session, name: string, options: { tag: string }): Promise<Reply> {
  const before = await useCases.get(ManageUsers).get(actor, name);
  return rolesReply(await useCases.get(ManageUsers).setTagRole(actor, before, options.tag, null));
}

async function disable(session: Session, name: string, options: YesOption): Promise<Reply> {
  const { useCases, actor } = session;
  const user = await useCases.get(ManageUsers).get(actor, name);
  await confirmed(session, options, `Disable ${user.name}?`);
  const { user: disabled, switchedOff } = await useCases.get(ManageUsers).disable(actor, user);
  return {
    json: { ...userView(disabled), schedules_switched_off: switchedOffView(switchedOff) },
    text: `${user.name} can no longer sign in; their sessions have ended.\n${switchedOffText(switchedOff)}`,
  };
}

async function enable({ useCases, actor }: Session, name: string): Promise<Reply> {
  const user = await useCases
    .get(ManageUsers)
    .enable(actor, await useCases.get(ManageUsers).get(actor, name));
  return { json: userView(user), text: `${user.name} can sign in again.\n` };
}

async function endSessions(session: Session, name: string, options: YesOption): Promise<Reply> {
  const { useCases, actor } = session;
  const user = await useCases.get(ManageUsers).get(actor, name);
  await confirmed(session, options, `End all sessions of ${user.name}?`);
  const same = await useCases.get(ManageUsers).endSessions(actor, user);
  return { json: userView(same), text: `${user.name} has to sign in again in every browser.\n` };
}

async function removeTotp(session: Session, name: string, options: YesOption): Promise<Reply> {
  const { useCases, actor } = session;
  const user = await useCases.get(ManageUsers).get(actor, name);
  await confirmed(session, options, `Remove two-factor authentication from the account of ${user.name}?`);
  const changed = await useCases.get(ManageUsers).removeSecondFactor(actor, user);
  return { json: userView(changed), text: `${user.name} now signs in with the password alone.\n` };
}

async function unlink(session: Session, name: string, options: YesOption): Promise<Reply> {
  const { useCases, actor } = session;
  const user = await useCases.get(ManageUsers).get(actor, name);
  await confirmed(session, options, `Separate the account of ${user.name} from its provider?`);
  await useCases.get(LinkIdentity).unlinkUser(actor, user);
  const changed = await useCases.get(ManageUsers).get(actor, name);
  return { json: userView(changed), text: `${user.name} now signs in with a password only.\n` };
}

async function passkeys({ useCases, actor }: Session, name: string): Promise<Reply> {
  const user = await useCases.get(ManageUsers).get(actor, name);
  const found = await useCases.get(ManageUsers).listPasskeys(actor, user);
  const rows = found.map(({ rpId, createdAt, lastUsedAt, ...passkey }) => [
    String(passkey.id),
    passkey.name,
    rpId,
    localTime(createdAt),
    lastUsedAt === null ? null : localTime(lastUsedAt),
  ]);
  return {
    json: { passkeys: found.map(passkeyView) },
    text:
      rows.length === 0
        ? `${user.name} has no passkeys.\n`
        : table(['ID', 'NAME', 'SITE', 'ADDED', 'LAST USED'], rows),
  };
}

const passkeyView = ({ rpId, createdAt, lastUsedAt, ...passkey }: Passkey): object => ({
  id: passkey.id,
  name: passkey.name,
  site: rpId,
  created_at: toIso(createdAt),
  last_used_at: toIsoOrNull(lastUsedAt),
});

async function removePasskey(
  session: Session,
  name: string,
  passkey: number,
  options: YesOption,
): Promise<Reply> {
  const { useCases, actor } = session;
  const user = await useCases.get(ManageUsers).get(actor, name);
  await confirmed(session, options, `Remove passkey ${passkey} of ${user.name}?`);
  await useCases.get(ManageUsers).removePasskey(actor, user, passkey);
  const left = await useCases.get(ManageUsers).get(actor, name);
  return {
    json: userView(left),
    text: `Removed. ${count(left.passkeys, 'passkey')} of ${user.name} left.\n`,
  };
}

async function twoFactor({ useCases, actor }: Session, accounts: string | undefined): Promise<Reply> {
  const twoFactorPolicy = useCases.get(TwoFactorPolicy);
  const rule =
    accounts === undefined ? await twoFactorPolicy.get(actor) : await twoFactorPolicy.set(actor, accounts);
  const text =
    rule === 'none'
      ? 'No account needs two-factor authentication.\n'
      : `Accounts that need two-factor authentication: ${rule}.\n`;
  return { json: { two_factor: rule }, text };
}

async function setup({ useCases, settings }: Session): Promise<Reply> {
  const offered = await useCases.get(OfferSetup).execute();
  if (offered === null) {
    return {
      json: { url: null, expires_at: null },
      text: 'An administrator already exists. To set a new password, run "drover user link NAME".\n',
    };
  }
  return { json: linkJson(settings, offered), text: linkText(settings, offered) };
}

function stateOf(user: User): string {
  if (user.disabledAt !== null) return 'disabled';
  return user.hasPassword ? 'active' : 'invited';
}
