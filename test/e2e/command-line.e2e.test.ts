import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { listed } from './snapshots.ts';

/** The transfer of 8 MiB would take 30 s: time enough to follow it, and to stop it. */
const SLOW_LINE = 'tc qdisc replace dev eth0 root tbf rate 2mbit burst 64kb latency 200ms';
const FAST_LINE = 'tc qdisc del dev eth0 root';
const NEW_CONTENT = 'mkdir -p /srv/data && dd if=/dev/urandom of=/srv/data/large bs=1M count=8 status=none';
const Started = z.object({ job_id: z.int() });

describeWith(['fleet', 'rsync'], 'the command line beside a running service', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'backup=on'] });
    for (const path of ['data', 'missing']) {
      const source = ['source', 'add', 'web', '--name', path, '--path', `/srv/${path}`];
      expect(await service().cli(source)).toMatchObject({ code: 0 });
    }
  });

  const backup = ['job', 'start', 'web', 'backup', '--source', 'data'];
  const begin = async (): Promise<number> => {
    await host().exec(`${NEW_CONTENT}; ${SLOW_LINE}`);
    const job = (await service().ask(Started, backup)).job_id;
    await rest.jobThat('is on its way', job, ({ percent }) => (percent ?? 0) >= 5);
    return job;
  };

  it('answers every question with exactly one JSON value', async () => {
    const questions = [
      ['server', 'list'],
      ['server', 'show', 'web'],
      ['source', 'list', 'web'],
      ['key', 'list'],
      ['token', 'list'],
      ['job', 'list'],
      ['snapshot', 'list', 'web'],
    ];
    const answers = await Promise.all(questions.map((question) => service().cli([...question, '--json'])));
    for (const [index, { code, json, stderr }] of answers.entries()) {
      expect([questions[index], code, typeof json, stderr]).toEqual([questions[index], 0, 'object', '']);
    }
  });

  it('follows a job to its good end, and shows its log', async () => {
    await host().exec('mkdir -p /srv/data && echo content >/srv/data/file');
    const followed = await service().cli([...backup, '--follow']);
    expect(followed.code).toBe(0);
    expect(followed.stdout).toMatch(/\nJob \d+, Back up \(backup\) on web, succeeded: Backed up 1 source/);
    expect(followed.stdout).toMatch(/\n\d\d:\d\d:\d\d Snapshot \S+ is complete/);
  });

  it('tells by its exit code that a job it waited for failed', async () => {
    const failed = await service().cli([
      'job',
      'start',
      'web',
      'backup',
      '--source',
      'missing',
      '--wait',
      '--json',
    ]);
    expect(failed).toMatchObject({
      code: 1,
      json: { status: 'failed', job: { error_code: 'source_missing' } },
    });
    const { job_id } = Started.parse(failed.json);
    expect(await service().cli(['job', 'show', String(job_id), '--wait'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('[source_missing]'),
    });
  });

  it('goes away on Ctrl-C, and the job that it followed goes on', async () => {
    const job = await begin();
    const follower = service().command(['job', 'show', String(job), '--follow']);
    await eventually('the follower shows the log', 60_000, async () =>
      follower.stdout.includes('To transfer:') ? true : undefined,
    );
    follower.signal('SIGINT');
    expect(await follower.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('continues. Check it with'),
    });
    const again = await service().cli([...backup, '--json']);
    expect(again).toMatchObject({ code: 5, json: { code: 'job_already_active', job: { id: job } } });
    expect(again.stderr).toContain(`drover job show ${job} --follow`);
    await host().exec(FAST_LINE);
    expect(await rest.jobEnd(job)).toMatchObject({ status: 'success' });
  });

  it('cancels a job while it runs', async () => {
    const job = await begin();
    const before = await listed(rest, id);
    const waiting = service().cli(['job', 'show', String(job), '--wait', '--json']);
    expect(await service().cli(['job', 'cancel', String(job)])).toMatchObject({ code: 0 });
    expect(await waiting).toMatchObject({
      code: 1,
      json: { id: job, status: 'cancelled', error_code: null },
    });
    expect(await listed(rest, id)).toEqual(before);
    await host().exec(FAST_LINE);
    const again = await service().cli(['job', 'cancel', String(job), '--json']);
    expect(again).toMatchObject({ code: 5, json: { code: 'job_not_cancellable' } });
  });

  it('follows a job over a restart of the service, which releases it and ends it once', async () => {
    const before = await listed(rest, id);
    const job = await begin();
    const follower = service().cli(['job', 'show', String(job), '--follow', '--json']);
    expect(await service().stop()).toBe(0);
    const shown = await service().cli(['job', 'show', String(job), '--json']);
    expect(shown).toMatchObject({ code: 0, json: { id: job, status: 'pending', done: false } });
    await host().exec(FAST_LINE);
    await service().start();
    const followed = await follower;
    expect(followed).toMatchObject({ code: 0, json: { id: job, status: 'success' } });
    for (const said of ['The service is stopping', 'is complete:']) {
      expect(followed.stderr.split(said)).toHaveLength(2);
    }
    expect(await listed(rest, id)).toHaveLength(before.length + 1);
    expect(await events(job)).toEqual(['job.started', 'job.started', 'job.succeeded']);
  });

  /** A job's events for webhooks, in order. */
  async function events(job: number): Promise<readonly string[]> {
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    try {
      return await database.knex('outbox_events').where({ job_id: job }).orderBy('id').pluck('type');
    } finally {
      await database.close();
    }
  }
});
