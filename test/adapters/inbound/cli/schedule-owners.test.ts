import { beforeEach, describe, expect, test } from 'vitest';
import { GetToken } from '../../../../src/application/access/manage-tokens.ts';
import { ManageSchedules } from '../../../../src/application/automation/manage-schedules.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { actorOf } from '../../../../src/domain/access/api-token.ts';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;
beforeEach(async () => {
  cli = new CliFixture();
  await cli.run('server add here --connection local --yes');
  await cli.json('token create --name agent --scopes read,jobs --require-approval');
  const { token } = await tokenOne();
  await cli.useCases.get(ManageSchedules).add(actorOf(token, null), {
    name: 'nightly',
    selector: { all: true },
    cron: { expression: '30 2 * * *', timeZone: 'UTC' },
    jobType: 'os_update_check',
    params: {},
    bounds: {},
    jitterMs: 0,
    enabled: true,
  });
});

const tokenOne = async () => ({
  token: await cli.useCases.get(GetToken).execute(Actor.operator('cli:me'), 1),
});
const OFF = { id: 1, name: 'nightly', reason: expect.stringContaining('token:agent') };

describe('The schedules of a token', () => {
  test('are shown with it', async () => {
    const { out } = await cli.run('token show 1');
    expect(out).toContain('(agent)');
    expect(out).toContain('nightly');
    expect(await cli.json('token show 1')).toMatchObject({
      id: 1,
      schedules: [{ name: 'nightly', owner: 'token:agent', enabled: true }],
      total: 1,
    });
    expect(await cli.run('token show 9')).toMatchObject({ code: 4 });
  });

  test('are named when the token is narrowed', async () => {
    expect(await cli.json('token edit 1 --scopes read')).toMatchObject({ schedules_switched_off: [OFF] });
    expect((await cli.run('schedule show nightly')).out).toMatch(/State: +off: Its owner, token:agent/);
  });

  test('are named when it is revoked; enabling one takes it over, and its jobs need approval still', async () => {
    const { out } = await cli.run('token revoke 1');
    expect(out).toContain('Switched off 1 schedule:');
    expect(out).toContain('nightly: Its owner, token:agent, was revoked');
    expect((await cli.run('token show 1')).out).toContain('was revoked');
    const enabled = await cli.run('schedule enable nightly');
    expect(enabled.out).toContain('token:agent may no longer run it');
    expect(await cli.json('schedule show nightly')).toMatchObject({
      schedule: {
        enabled: true,
        require_approval: true,
        off_reason: null,
        owner: expect.stringMatching(/^cli:/),
      },
    });
  });

  test('stay with it when it is rotated', async () => {
    await cli.run('token rotate 1');
    expect(await cli.json('token show 1')).toMatchObject({ schedules: [{ enabled: true }] });
  });
});
