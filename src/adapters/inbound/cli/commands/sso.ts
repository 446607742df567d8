import type { Command } from 'commander';
import { ManageSso, type ShownProvider } from '../../../../application/access/manage-sso.ts';
import { RequireSso } from '../../../../application/access/require-sso.ts';
import { withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

/** A provider of single sign-on without its secret. */
const ssoProviderView = ({ provider, redirectUri, isFromEnvironment }: ShownProvider) => ({
  name: provider.name,
  label: provider.label,
  issuer: provider.issuer,
  client_id: provider.clientId,
  scopes: provider.scopes,
  groups_claim: provider.groupsClaim,
  roles: provider.roles,
  two_factor: provider.twoFactor,
  allow_private: provider.allowPrivate,
  enabled: provider.enabled,
  redirect_uri: redirectUri,
  from_environment: isFromEnvironment,
});

const PROVIDER_ARGUMENT = ['<name>', 'name of the provider'] as const;

export function addSsoCommands(program: Command, runner: Runner): void {
  const sso = program
    .command('sso')
    .description('manage single sign-on; add and edit providers in the web UI, under Settings > Sign-in');
  sso.command('list').description('list providers by name, without their secrets').action(runner.read(list));
  withExamples(
    sso
      .command('test')
      .description('check everything about a provider that needs no user')
      .argument(...PROVIDER_ARGUMENT)
      .action(runner.run(test)),
    'drover sso test home',
  );
  withExamples(
    sso
      .command('require')
      .description('show or set whether users have to sign in with a provider')
      .argument(
        '[administrator]',
        'break-glass administrator, who keeps their password; off: allow all passwords',
      )
      .action(runner.run(requirement)),
    'drover sso require root',
    'drover sso require off',
  );
  sso
    .command('enable')
    .description('enable a provider')
    .argument(...PROVIDER_ARGUMENT)
    .action(runner.run((session, name: string) => setEnabled(session, name, true)));
  withYes(
    sso
      .command('disable')
      .description('disable a provider and end the sessions that were opened with it')
      .argument(...PROVIDER_ARGUMENT),
  ).action(
    runner.run(async (session, name: string, options: YesOption) => {
      await confirmed(session, options, `Disable ${name} and end the sessions that were opened with it?`);
      return setEnabled(session, name, false);
    }),
  );
}

async function list(session: Session): Promise<Reply> {
  const providers = await session.useCases.get(ManageSso).list(session.actor);
  const rows = providers.map(({ provider }) => [
    provider.name,
    provider.label,
    provider.issuer,
    String(provider.roles.length),
    provider.enabled ? 'on' : 'off',
  ]);
  return {
    json: { providers: providers.map(ssoProviderView), total: providers.length },
    text:
      rows.length === 0
        ? 'There are no providers. Add one in the web UI, under Settings > Sign-in.\n'
        : table(['NAME', 'BUTTON', 'ISSUER', 'GROUPS WITH A ROLE', 'STATE'], rows),
  };
}

async function test(session: Session, name: string): Promise<Reply> {
  const findings = await session.useCases.get(ManageSso).test(session.actor, name);
  return {
    json: { ok: findings.every(({ state }) => state !== 'bad'), findings },
    text: table(
      ['CHECK', 'STATE', 'RESULT'],
      findings.map(({ check, state, text }) => [check, state, text]),
    ),
    ...(findings.some(({ state }) => state === 'bad') ? { exitCode: EXIT.failed } : {}),
  };
}

async function requirement(session: Session, administrator: string | undefined): Promise<Reply> {
  const requireSso = session.useCases.get(RequireSso);
  if (administrator !== undefined)
    await requireSso.set(session.actor, administrator === 'off' ? null : administrator);
  const { required, breakGlass } = await requireSso.get(session.actor);
  return {
    json: { required, break_glass: breakGlass },
    text: required
      ? `Users have to sign in with a provider; ${breakGlass ?? 'every administrator'} can also use a password.\n`
      : 'Users can sign in with a password or with a provider.\n',
  };
}

async function setEnabled(session: Session, name: string, enabled: boolean): Promise<Reply> {
  const manageSso = session.useCases.get(ManageSso);
  await manageSso.setEnabled(session.actor, name, enabled);
  return {
    json: ssoProviderView(await manageSso.find(session.actor, name)),
    text: `${enabled ? 'Enabled' : 'Disabled'} ${name}.\n`,
  };
}
