import { beforeEach, describe, expect, it } from 'vitest';
import { CliFixture } from './cli-fixture.ts';

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const TELEGRAM = 'channel add ops --kind telegram --set chat=-100123 --set-file token=token.txt';

describe('drover channel', () => {
  let cli: CliFixture;
  beforeEach(() => {
    cli = new CliFixture();
    cli.io.files.set('/home/tester/token.txt', `${TOKEN}\n`);
  });

  it('adds one with a secret from a file, and never shows it', async () => {
    const added = await cli.run(`${TELEGRAM} --events job.failed --tags web --min-severity warning`);
    expect(added).toMatchObject({ code: 0, err: '' });
    const listed = await cli.run('channel list');
    expect(listed.out).toMatch(/ops +Telegram +chat -100123 +job\.failed; tagged web +warning +on/);
    const { channels, total } = await cli.json('channel list');
    expect(total).toBe(1);
    expect(channels).toMatchObject([
      { name: 'ops', kind: 'telegram', fields: { chat: '-100123' }, tags: ['web'], allow_private: false },
    ]);
    expect(cli.kept.actions).toEqual(['channel.add channel:1']);
    expect(added.out + listed.out + JSON.stringify(channels) + JSON.stringify(cli.kept.audit)).not.toContain(
      'ABC-DEF',
    );
    const inClear = cli.kept.rows('SELECT name, fields, shown_target FROM alert_channels');
    expect(JSON.stringify(inClear)).not.toContain('ABC-DEF');
  });

  it('refuses secrets on the command line, unknown kinds and bad fields', async () => {
    const secret = await cli.run(`channel add ops --kind telegram --set chat=1 --set token=${TOKEN}`);
    expect(secret).toMatchObject({ code: 2 });
    expect(secret.err).toContain('--set-file token=FILE');
    expect(await cli.run('channel add ops --kind pigeon')).toMatchObject({ code: 2 });
    expect((await cli.run(`${TELEGRAM} --set colour=red`)).err).toContain('chat, topic, server');
    expect(
      (await cli.run('channel add ops --kind telegram --set chat=me --set-file token=token.txt')).err,
    ).toContain('A chat ID is a number or @name.');
    cli.io.files.set('/home/tester/gotify.txt', 'AbC');
    const home = 'channel add home --kind gotify --set server=http://192.168.1.5 --set-file token=gotify.txt';
    expect((await cli.run(home)).err).toContain('allow private addresses for this channel');
    expect(await cli.run(`${home} --allow-private`)).toMatchObject({ code: 0 });
    expect(await cli.run(`${home} --allow-private`)).toMatchObject({ code: 5 });
  });

  it('edits, switches off and on, and removes', async () => {
    await cli.run(TELEGRAM);
    expect(await cli.run('channel edit ops')).toMatchObject({ code: 2 });
    expect(
      await cli.json('channel edit ops --set topic=7 --min-severity critical --name night'),
    ).toMatchObject({
      name: 'night',
      fields: { chat: '-100123', topic: '7' },
      min_severity: 'critical',
    });
    // Another server gets none of the secrets of this one.
    expect((await cli.run('channel edit night --set server=https://bots.example.org')).err).toContain(
      'Enter it again',
    );
    expect(await cli.json('channel disable night')).toMatchObject({ enabled: false });
    expect(await cli.json('channel enable night')).toMatchObject({ enabled: true });
    expect(await cli.run('channel remove night --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('channel test night')).toMatchObject({ code: 4 });
  });

  it('sets quiet hours, a digest and a weekly report, and previews it', async () => {
    await cli.run(TELEGRAM);
    const timed = await cli.json(
      'channel edit ops --quiet 22:00-07:00 --digest day --digest-at 08:30 --report friday --time-zone Europe/Berlin --no-critical-at-once',
    );
    expect(timed).toMatchObject({
      quiet_hours: { from: '22:00', until: '07:00' },
      digest: 'day',
      digest_at: '08:30',
      critical_at_once: false,
      report_day: 'friday',
      report_at: '08:00',
      time_zone: 'Europe/Berlin',
    });
    expect(timed['next_report_at']).toMatch(/^\d{4}-\d\d-\d\dT0[67]:00:00/);
    // The others stay as they are.
    expect(await cli.json('channel edit ops --quiet none')).toMatchObject({
      quiet_hours: null,
      digest: 'day',
      critical_at_once: false,
    });
    expect(await cli.json('channel report ops')).toMatchObject({
      title: 'Weekly report: 0 servers, no alerts',
    });
    expect(await cli.run('channel edit ops --quiet 22-7')).toMatchObject({ code: 2 });
    expect(await cli.run('channel edit ops --report someday')).toMatchObject({ code: 2 });
    expect((await cli.run('channel edit ops --time-zone Mars/Base')).code).toBe(2);
    expect((await cli.run('channel report pigeon')).code).toBe(4);
  });

  it('tests, lists what was sent, and sends it again', async () => {
    await cli.run(TELEGRAM);
    expect(await cli.run('channel test ops')).toMatchObject({ code: 0 });
    const [sent] = cli.channelSender.sent;
    expect(sent?.target).toMatchObject({ kind: 'telegram', values: { token: TOKEN, chat: '-100123' } });
    expect(sent?.message).toMatchObject({ type: 'ping', severity: 'info', link: null });
    cli.channelSender.errors.push('It answered 403. The bot was blocked.');
    const failed = await cli.run('channel test ops');
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('The bot was blocked. Drover retries it at');
    const { deliveries } = await cli.json('channel deliveries ops');
    expect(deliveries).toMatchObject([
      { id: 2, webhook_id: null, channel_id: 1, status: 'pending' },
      { id: 1, channel_id: 1, status: 'delivered' },
    ]);
    expect(await cli.run('channel resend 2')).toMatchObject({ code: 0 });
    expect(await cli.json('webhook deliveries')).toMatchObject({ total: 0 });
  });
});
