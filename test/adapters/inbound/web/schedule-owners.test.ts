import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IssueToken } from '../../../../src/application/access/issue-token.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { actorOf, type TokenRequest } from '../../../../src/domain/access/api-token.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let administrator: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  const server = await fixture.scene.addServer('web', { backup: true, os_patch: true });
  await fixture.scene.addSource(server.id);
  administrator = await fixture.signedIn('administrator');
});
afterEach(() => fixture.close());

const schedule = (name: string) => ({
  name,
  selector: { ids: [1] },
  cron: { expression: '30 2 * * *', timeZone: 'UTC' },
  jobType: 'backup' as const,
  params: {},
  bounds: {},
  jitterMs: 0,
  enabled: true,
});

async function agentWith(names: readonly string[], more: Partial<TokenRequest> = {}): Promise<Actor> {
  const asked = { name: 'agent', scopes: ['read', 'jobs'], ...more };
  const { token } = await new IssueToken(fixture.scene).execute(Actor.operator('cli:me'), asked);
  const agent = actorOf(token, null);
  for (const name of names) await fixture.work.manageSchedules.add(agent, schedule(name));
  return agent;
}

describe("A token's page", () => {
  test('lists its schedules, and after it was revoked those that are switched off with it', async () => {
    await agentWith(['nightly', 'weekly']);
    await fixture.work.manageSchedules.add(Actor.operator('cli:me'), schedule('other'));
    const before = await administrator.get('/settings/tokens/1');
    expect(before.text).toContain('<a href="/schedules/1">nightly</a>');
    expect(before.text).not.toContain('>other</a>');
    const revoked = await administrator.post('/settings/tokens/1/revoke');
    expect(revoked.location).toBe('/settings/tokens/1');
    const { text } = await administrator.get('/settings/tokens/1');
    expect(text).toContain('These schedules are disabled');
    expect(text).toMatch(/<a href="\/schedules\/2">weekly<\/a>: Its owner, token:agent, was revoked/);
    expect((await administrator.get('/schedules/1')).text).toContain('Drover disabled it.');
    expect((await administrator.get('/audit?action=schedule.switch_off')).text).toContain('Schedule 1');
  });

  test('says the same after an edit that narrows it', async () => {
    await agentWith(['nightly']);
    const form = { name: 'agent', scopes: ['read'], servers: 'all', allowed_cidrs: '', expires_at: 'keep' };
    const edited = await administrator.post('/settings/tokens/1/edit', form);
    expect(edited.location).toBe('/settings/tokens/1');
    const { text } = await administrator.get('/settings/tokens/1');
    expect(text).toContain('may no longer start backup');
  });
});

describe('An operator who switches on what Drover switched off', () => {
  test('becomes its owner, and its jobs need approval as before', async () => {
    await agentWith(['nightly'], { requireApproval: true });
    await administrator.post('/settings/tokens/1/revoke');
    const operator = await fixture.signedIn('operator');
    const before = await operator.get('/schedules/1');
    expect(before.text).toContain('you become its owner; its jobs still need approval');
    await operator.post('/schedules/1/enable');
    expect(await fixture.scene.schedules.find(1)).toMatchObject({
      enabled: true,
      requireApproval: true,
      owner: { kind: 'user', name: 'operator1' },
    });
    expect((await operator.get('/schedules/1')).text).toContain('operator1');
  });

  test('does not when the agent still may run it', async () => {
    await agentWith(['nightly'], { requireApproval: true });
    const operator = await fixture.signedIn('operator');
    await operator.post('/schedules/1/disable');
    await operator.post('/schedules/1/enable');
    expect(await fixture.scene.schedules.find(1)).toMatchObject({
      enabled: true,
      requireApproval: true,
      owner: { kind: 'token', id: 1 },
    });
  });
});

describe('The list of users', () => {
  test('says which schedules were switched off with the account of their owner', async () => {
    const operator = await fixture.signedIn('operator');
    const form = {
      type: 'backup',
      name: 'nightly',
      cron: '30 2 * * *',
      time_zone: 'UTC',
      selector: 'ids',
      servers: 'web',
      tags: '',
      max_parallel: '10',
      canary: '0',
      stop_after_failures: '',
      jitter: '0',
    };
    await operator.post('/schedules/new', form);
    const demoted = await administrator.post('/settings/users/operator1/role', { role: 'viewer' });
    expect(demoted.location).toBe('/settings/users?changed=operator1');
    const { text } = await administrator.get(demoted.location ?? '');
    expect(text).toMatch(
      /<a href="\/schedules\/1">nightly<\/a>: Its owner, user:operator1, may no longer start backup/,
    );
    expect(await fixture.scene.schedules.find(1)).toMatchObject({ enabled: false });
  });
});
