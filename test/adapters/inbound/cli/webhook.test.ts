import { beforeEach, describe, expect, it } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

const URL = 'https://hooks.example.org/T1/s3cret';

describe('drover webhook', () => {
  let cli: CliFixture;
  beforeEach(() => {
    cli = new CliFixture();
  });

  it('adds one, shows its secret once, and its address never', async () => {
    const added = await cli.run(`webhook add chat --url ${URL} --events job.failed,backup.stale`);
    expect(added).toMatchObject({ code: 0, err: '' });
    expect(added.out).toMatch(/ {2}whsec_[A-Za-z0-9+/]{43}=\n/);
    const listed = await cli.run('webhook list');
    expect(listed.out).toContain('https://hooks.example.org/…');
    expect(listed.out).toContain('job.failed, backup.stale');
    expect(added.out + listed.out).not.toContain('s3cret');
    const { webhooks } = await cli.json('webhook list');
    expect(webhooks).toMatchObject([{ name: 'chat', enabled: true, min_severity: 'info' }]);
    expect(JSON.stringify(webhooks)).not.toMatch(/s3cret|whsec_/);
    expect(cli.kept.actions).toEqual(['webhook.add webhook:1']);
    expect(JSON.stringify(cli.kept.audit)).not.toMatch(/s3cret|whsec_/);
  });

  it('takes a secret that is there, and refuses what is none', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    expect(await cli.json(`webhook add chat --url ${URL} --secret ${secret}`)).toMatchObject({ secret });
    expect(await cli.run(`webhook add other --url ${URL} --secret short`)).toMatchObject({ code: 2 });
    expect(await cli.run(`webhook add chat --url ${URL}`)).toMatchObject({ code: 5 });
    expect((await cli.run('webhook add home --url http://127.0.0.1/')).err).toContain(
      '127.0.0.1 is not a public address; SERVICE_WEBHOOK_ALLOW_PRIVATE=1 lets',
    );
    expect((await cli.run('webhook add x --json')).err).toContain('--url');
    expect((await cli.run('webhook add environment --url https://a.example.org')).code).toBe(2);
  });

  it('edits, rotates, switches off and on, and removes', async () => {
    await cli.run(`webhook add chat --url ${URL}`);
    expect(await cli.json('webhook edit chat --events job.failed --min-severity warning')).toMatchObject({
      events: ['job.failed'],
      min_severity: 'warning',
    });
    expect(await cli.json('webhook edit chat --events all --name talk')).toMatchObject({ events: null });
    expect(await cli.run('webhook edit talk')).toMatchObject({ code: 2 });
    expect((await cli.run('webhook rotate talk')).out).toMatch(/The previous one stays valid until /);
    expect((await cli.run('webhook rotate talk --overlap 0m')).out).toContain('no longer valid');
    expect(await cli.json('webhook disable talk')).toMatchObject({
      enabled: false,
      disabled_because: 'operator',
    });
    expect((await cli.run('webhook list')).out).toContain('off');
    expect(await cli.json('webhook enable talk')).toMatchObject({ enabled: true, disabled_because: null });
    expect(await cli.run('webhook remove talk --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('webhook remove talk --yes')).toMatchObject({ code: 4 });
  });

  it('pings, lists what was sent, and sends it again', async () => {
    await cli.run(`webhook add chat --url ${URL}`);
    expect(await cli.run('webhook ping chat')).toMatchObject({
      code: 0,
      out: 'The receiver accepted it: 204 after 3 ms.\n',
    });
    expect(cli.sender.sent[0]).toMatchObject({ url: URL });
    cli.sender.answers.push(500);
    const failed = await cli.run('webhook ping chat');
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(/^Delivery 2: It answered 500\. Drover retries it at /);
    const { deliveries, total } = await cli.json('webhook deliveries chat');
    expect(total).toBe(2);
    expect(deliveries[0]).toMatchObject({ id: 2, type: 'ping', status: 'pending', status_code: 500 });
    expect((await cli.run('webhook deliveries --status delivered')).out).toContain('204');
    expect(await cli.run('webhook resend 2')).toMatchObject({ code: 0 });
    expect(cli.sender.sent.map(({ id }) => id)).toEqual([
      expect.anything(),
      deliveries[0].event_id,
      deliveries[0].event_id,
    ]);
    expect(await cli.run('webhook resend 9')).toMatchObject({ code: 4 });
    expect(await cli.run('webhook ping nobody')).toMatchObject({ code: 4 });
  });
});
