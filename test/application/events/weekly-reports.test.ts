import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WeeklyReports } from '../../../src/application/events/weekly-reports.ts';
import { DAY, type Instant, MINUTE } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeCronClock } from '../../fakes/fake-cron-clock.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { type Messaging, messagingOf } from '../../support/messaging.ts';
import { answers, Receiver } from '../../support/receiver.ts';
import { sceneDatabase } from '../../support/scene-database.ts';

const NEVER = new AbortController().signal;
/** A Sunday; in Berlin it is an hour later. */
const SUNDAY = Date.parse('2026-11-22T12:00:00Z');
const MONDAY = Date.parse('2026-11-23T07:00:00Z');

describe('A weekly report', () => {
  let clock: FakeClock;
  let service: Messaging;
  let receiver: Receiver;
  let stores: ReturnType<typeof sceneDatabase>;
  let reports: WeeklyReports;
  beforeEach(async () => {
    clock = new FakeClock(SUNDAY);
    stores = sceneDatabase(clock);
    service = messagingOf(stores, clock);
    receiver = new Receiver('');
    receiver.always = answers(200, {}, '{"id":"x"}');
    reports = reportsOf();
    const server = `http://127.0.0.1:${await receiver.listen()}`;
    await service.manageChannels.add(service.operator, {
      name: 'phone',
      kind: 'ntfy',
      values: { server, topic: 'drover' },
      allowPrivate: true,
      reportDay: 'monday',
      timeZone: 'Europe/Berlin',
    });
  });
  afterEach(async () => {
    service.poster.close();
    await receiver.close();
  });

  /** Of one replica. */
  const reportsOf = (): WeeklyReports =>
    new WeeklyReports({ ...stores, ...service, clock, cron: new FakeCronClock(), backupStaleHours: 36 });
  const sent = () =>
    receiver.received.map(({ body }) => JSON.parse(body) as { title: string; message: string });
  async function lookAt(at: Instant, each: readonly WeeklyReports[] = [reports]): Promise<number> {
    clock.set(at);
    await Promise.all(each.map((replica) => replica.execute(NEVER)));
    await service.look();
    return receiver.received.length;
  }

  it('comes at its time, once a week, over all replicas', async () => {
    const replicas = [reports, reportsOf(), reportsOf()];
    expect(await lookAt(MONDAY - MINUTE, replicas)).toBe(0);
    expect(await lookAt(MONDAY, replicas)).toBe(1);
    expect(await lookAt(MONDAY + MINUTE, replicas)).toBe(1);
    expect(await lookAt(MONDAY + 7 * DAY, replicas)).toBe(2);
    expect(stores.kept.count('deliveries')).toBe(2);
  });

  it('is made up for once after the service was down, and comes in quiet hours if that is its time', async () => {
    await service.manageChannels.edit(service.operator, 'phone', { quietFrom: '00:00', quietUntil: '23:59' });
    expect(await lookAt(MONDAY + 15 * DAY)).toBe(1);
    expect(await lookAt(MONDAY + 21 * DAY - MINUTE)).toBe(1);
    expect(await lookAt(MONDAY + 21 * DAY)).toBe(2);
  });

  it('of a disabled channel, or one without a report, does not come', async () => {
    await service.manageChannels.setEnabled(service.operator, 'phone', false);
    expect(await lookAt(MONDAY)).toBe(0);
    await service.manageChannels.setEnabled(service.operator, 'phone', true);
    expect(await lookAt(MONDAY + MINUTE)).toBe(0);
    await service.manageChannels.edit(service.operator, 'phone', { reportDay: 'none' });
    expect(await lookAt(MONDAY + 8 * DAY)).toBe(0);
  });

  it('has the backups, updates and open alerts of the week', async () => {
    const web = await service.tell({ type: 'job.failed', title: 'nothing', severity: 'info', tags: ['web'] });
    await service.tell({ type: 'job.failed', title: 'nothing', severity: 'info' });
    const { kept, servers } = stores;
    await servers.learn(web, { lastBackupAt: SUNDAY - MINUTE, lastVerifiedAt: SUNDAY - DAY });
    for (const [variant, severity] of [
      ['one', 'warning'],
      ['two', 'critical'],
    ] as const)
      kept.add('notifications', {
        kind: 'job.failed',
        subject_id: web,
        open_key: `job.failed:${variant}`,
        variant,
        state: 'open',
        severity,
        muted: 0,
        title: `Alert\n${variant}`,
        message: 'It failed.',
        server_id: web,
        began_at: SUNDAY,
      });
    const { title, message } = await reports.preview(service.operator, 'phone');
    expect(title).toBe('Weekly report: 2 servers, 2 alerts');
    expect(message.split('\n')).toEqual([
      'Backups: 1 of 2 servers verified in the last 7 days, 0 overdue, 0 failed.',
      'Updates: 0 package updates and 0 container updates installed.',
      'Servers: none needs care.',
      'Alerts: 2 open.',
      'critical: Alert two',
      'warning: Alert one',
    ]);
    await lookAt(MONDAY);
    const report = sent().find((each) => each.title === title);
    expect(report?.message.split('\n').slice(-2)).toEqual(['critical: Alert two', 'warning: Alert one']);
  });

  it('of a channel with tags is about their servers only', async () => {
    await service.tell({ tags: ['web'] });
    await service.tell();
    expect((await reports.preview(service.operator, 'phone')).title).toContain('2 servers');
    await service.manageChannels.edit(service.operator, 'phone', { tags: ['web'] });
    expect((await reports.preview(service.operator, 'phone')).title).toContain('1 server,');
    await service.manageChannels.edit(service.operator, 'phone', { tags: ['none'] });
    expect((await reports.preview(service.operator, 'phone')).title).toContain('0 servers, no alerts');
  });

  it('has a day, a time and a time zone that exist', async () => {
    const bad = {
      reportDay: 'someday',
      reportAt: '8',
      timeZone: 'Mars/Base',
      digest: 'year',
      quietFrom: '22:00',
    };
    const refused = await service.manageChannels
      .edit(service.operator, 'phone', bad)
      .catch((error: unknown) => error);
    const { problems } = refused as { problems: readonly { path: string }[] };
    expect(problems.map(({ path }) => path)).toEqual(['/report_day', '/quiet_until', '/digest']);
    await expectRefusal(
      service.manageChannels.edit(service.operator, 'phone', { timeZone: 'Mars/Base' }),
      'invalid_input',
    );
  });
});
