import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { batchMemberSchema, batchSchema } from '../../src/adapters/inbound/api/views/batch-view.ts';
import { forecastSchema } from '../../src/adapters/inbound/api/views/forecast-view.ts';
import { MINUTE, SECOND } from '../../src/domain/base/instant.ts';
import { publish } from '../fleet/apt-repo.ts';
import { enrolAll } from '../fleet/enrol-all.ts';
import { useFleet } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';

const HOSTS = rounds(6, 20);
const CANARIES = rounds(2, 3);
const EARLY = rounds(2, 6);
const BAKE_SECONDS = 20;
/** Of the schedule after its creation, at least: before that the preview is read. */
const AHEAD_MS = 75 * SECOND;

const Preview = z.object({ servers: z.array(forecastSchema) });
const Batches = z.object({ batches: z.array(batchSchema) });
const Shown = z.object({ batch: batchSchema, members: z.array(batchMemberSchema) });
const Started = z.object({ batch_id: z.int() });
const INSTALL = 'for name; do dpkg -i "/srv/apt/pool/stable/${name}_1.0_all.deb" >&2; done';
const VERSIONS = "dpkg-query -W -f '${Package} ${Version}\\n' demo-app demo-lib";

const tagsOf = (index: number): readonly string[] => [
  'web',
  index % 2 === 0 ? 'day' : 'night',
  ...(index < CANARIES ? ['canary'] : index < CANARIES + EARLY ? ['early'] : []),
];
const dailyAt = (at: number): string => `${new Date(at).getUTCMinutes()} ${new Date(at).getUTCHours()} * * *`;

describeWith('fleet', `the updates of ${HOSTS} hosts in three rings and two windows`, () => {
  const hosts = useFleet(HOSTS);
  const service = useService();
  let rest: RestClient;
  beforeAll(async () => {
    await Promise.all(
      hosts().map(async (host) => {
        await host.exec(INSTALL, ['demo-lib', 'demo-app']);
        await publish(host, 'v2');
      }),
    );
    const { secret } = await enrolAll(service().dataDir, hosts(), tagsOf);
    rest = new RestClient(service().url, secret);
  });

  const cli = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await service().cli([...args]);
    expect(code, stderr).toBe(0);
  };
  const batchEnd = (id: number) =>
    eventually('the batch has ended', 5 * MINUTE, async () => {
      const now = Shown.parse((await rest.get(`/api/v1/batches/${id}?limit=100`)).body);
      return now.batch.done ? now : undefined;
    });

  it(
    'are those that the preview names, at its times and in its order',
    async () => {
      const check = { job_type: 'os_update_check', selector: { tags: ['web'] }, max_parallel: HOSTS };
      const checked = Started.parse((await rest.post('/api/v1/jobs', check)).body);
      expect((await batchEnd(checked.batch_id)).batch.status).toBe('success');
      const off = hosts().at(-1)?.name ?? '';
      await cli('server', 'features', off, 'os_patch=off');
      const rings = ['--ring', `canary=${BAKE_SECONDS}s`, '--ring', `early=${BAKE_SECONDS}s`];
      await cli('policy', 'add', 'careful', '--tag', 'web', ...rings);
      await cli('window', 'add', 'day', '--tag', 'day', '--cron', '0 * * * *', '--for', '2h');
      const slot = Math.ceil((Date.now() + AHEAD_MS) / MINUTE) * MINUTE;
      const night = slot + MINUTE;
      await cli('window', 'add', 'night', '--tag', 'night', '--cron', dailyAt(night), '--for', '2h');
      const what = ['--tag', 'web', '--type', 'os_patch', '--parallel', String(HOSTS)];
      await cli('schedule', 'add', 'nightly', '--cron', dailyAt(slot), ...what);
      const { servers } = Preview.parse((await rest.get('/api/v1/policies/preview?limit=100')).body);
      expect(Date.now(), 'the preview was read in time').toBeLessThan(slot);

      const { batches } = await eventually(
        'the schedule has started',
        slot - Date.now() + MINUTE,
        async () => {
          const found = Batches.parse((await rest.get('/api/v1/batches?limit=10')).body);
          return found.batches.some(({ scheduled }) => scheduled) ? found : undefined;
        },
      );
      const { batch, members } = await batchEnd(batches.find(({ scheduled }) => scheduled)?.id ?? 0);
      expect(batch, batch.stop_reason ?? '').toMatchObject({
        status: 'success',
        hosts: { success: HOSTS - 1, skipped: 1 },
      });

      const byName = new Map(members.map((member) => [member.server_name, member]));
      const previewed = servers.filter(({ server_name }) => byName.has(server_name));
      expect(previewed).toHaveLength(HOSTS);
      const starts = [];
      for (const { server_name: name, policy, updates } of previewed) {
        const [next, ...others] = updates;
        const member = byName.get(name);
        const versions = await hosts()
          .find((host) => host.name === name)
          ?.exec(VERSIONS);
        expect([policy, others]).toEqual(['careful', []]);
        if (!next?.starts) {
          expect([name, member]).toMatchObject([
            off,
            { status: 'skipped', code: next?.refused_code, job_id: null },
          ]);
          expect(versions).toBe('demo-app 1.0\ndemo-lib 1.0\n');
          continue;
        }
        expect([next.installs, next.held.map((each) => each.name)]).toEqual([
          ['demo-lib 1.0+deb12u1'],
          ['demo-app'],
        ]);
        expect(versions).toBe('demo-app 1.0\ndemo-lib 1.0+deb12u1\n');
        expect(member).toMatchObject({
          status: 'success',
          ring: next.turn?.ring,
          ring_tag: next.turn?.ring_tag,
        });
        const job = await rest.job(member?.job_id ?? 0);
        starts.push({
          name,
          ring: next.turn?.ring ?? 0,
          isNight: tagsOf(hosts().findIndex((host) => host.name === name)).includes('night'),
          expectedAt: Date.parse(next.at),
          startedAt: Date.parse(job.created_at),
          endedAt: Date.parse(job.finished_at ?? ''),
        });
      }
      expect(new Set(starts.map(({ ring }) => ring))).toEqual(new Set([1, 2, 3]));
      for (const { name, ring, isNight, expectedAt, startedAt } of starts) {
        // The preview counts no time for the jobs themselves.
        expect(startedAt, name).toBeGreaterThanOrEqual(expectedAt);
        if (isNight) expect(startedAt, name).toBeGreaterThanOrEqual(night);
        const before = starts.filter((other) => other.ring < ring).map(({ endedAt }) => endedAt);
        if (ring === 1) expect(expectedAt, name).toBe(isNight ? night : slot);
        else expect(startedAt, name).toBeGreaterThanOrEqual(Math.max(...before) + BAKE_SECONDS * SECOND);
        // No one waits for longer than the turn of the ring and a look at the batch take.
        const turnAt = Math.max(expectedAt, ...before.map((ended) => ended + BAKE_SECONDS * SECOND));
        expect(startedAt - turnAt, name).toBeLessThan(MINUTE);
      }
    },
    15 * MINUTE,
  );
});
