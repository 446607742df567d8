import { expect, it } from 'vitest';
import * as z from 'zod';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';

const HOUR = 3_600_000;
const LONG = 395 * 24 * HOUR;
const WITHIN_MS = 45_000;

const Schedules = z.object({ schedules: z.array(z.object({ next_run_at: z.string() })) });
const Findings = z.object({
  findings: z.array(z.object({ name: z.string(), verdict: z.string(), detail: z.string() })),
});
const Alerts = z.object({
  notifications: z.array(
    z.object({ id: z.number(), kind: z.string(), severity: z.string(), state: z.string() }),
  ),
});

describeWith([], 'a service whose clock was wrong', () => {
  const service = useService();

  /** Changes the database as the wrong clock would have, while no service runs. */
  async function whileStopped(change: (knex: ReturnType<typeof openDatabase>['knex']) => Promise<void>) {
    await service().stop();
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    await change(database.knex);
    await database.close();
    await service().start();
  }
  const doctor = async () => {
    const { findings } = Findings.parse((await service().cli(['doctor', '--json'])).json);
    return findings.find(({ name }) => name === 'clock jumps');
  };
  const alert = () =>
    eventually('there is an alert of the clock', WITHIN_MS, async () => {
      const { json } = await service().cli(['alert', 'list', '--json']);
      return Alerts.parse(json).notifications.find(({ kind }) => kind === 'clock.jumped');
    });

  it('continues its schedules from the present, and says that the clock was set back', async () => {
    const add = ['schedule', 'add', 'hourly', '--type', 'os_update_check', '--server', '1'];
    expect(await service().cli([...add, '--cron', '0 * * * *'])).toMatchObject({ code: 0 });
    const ahead = Date.now() + LONG;
    await whileStopped(async (knex) => {
      await knex('schedules').update({ handled_to: ahead, due_at: ahead + HOUR });
      await knex('settings')
        .where({ name: 'clock_seen_at' })
        .update({ value: String(ahead) });
      await knex('leases').update({ until: ahead });
    });
    const rest = new RestClient(service().url, await service().token());
    await eventually('the schedule is due within the hour', WITHIN_MS, async () => {
      const [schedule] = Schedules.parse((await rest.get('/api/v1/schedules')).body).schedules;
      return Date.parse(schedule?.next_run_at ?? '') <= Date.now() + HOUR ? true : undefined;
    });
    expect(await alert()).toMatchObject({ severity: 'warning', state: 'open' });
    expect(await doctor()).toMatchObject({ verdict: 'warn' });
  });

  it('deletes nothing while its clock seems to be ahead, until a user confirms that it is right', async () => {
    await whileStopped(async (knex) => {
      await knex('clock_jumps').update({ over_at: Date.now() });
      await knex('settings')
        .where({ name: 'clock_seen_at' })
        .update({ value: String(Date.now() - LONG) });
    });
    await eventually('the jump is noticed', WITHIN_MS, async () =>
      (await doctor())?.verdict === 'fail' ? true : undefined,
    );
    expect(await service().cli(['server', 'features', '1', 'backup=on'])).toMatchObject({ code: 0 });
    const held = await service().cli(['job', 'start', '1', 'retention', '--wait', '--json']);
    expect(held.json).toMatchObject({ status: 'failed', job: { error_code: 'clock_jumped' } });
    const found = await alert();
    const critical = await eventually('it is the alert of the jump ahead', WITHIN_MS, async () => {
      const now = await alert();
      return now.severity === 'critical' ? now : undefined;
    });
    expect(found.state).toBe('open');
    const acknowledged = await service().cli(['alert', 'ack', String(critical.id)]);
    expect(acknowledged).toMatchObject({ code: 0 });
    await eventually('the time is believed', WITHIN_MS, async () =>
      (await doctor())?.verdict === 'ok' ? true : undefined,
    );
    const done = await service().cli(['job', 'start', '1', 'retention', '--wait', '--json']);
    expect(done.json).toMatchObject({ status: 'success' });
  });
});
