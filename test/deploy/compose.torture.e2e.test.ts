import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../scripts/lib/programs.mjs';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { TORTURE } from '../support/rounds.ts';
import type { Reply } from './call.ts';
import { Stack } from './stack.ts';

const BUILD_MS = 600_000;
const WITHIN_MS = 120_000;
const PASSWORD = 'correct horse battery staple';
const ORIGIN = 'https://drover.example.org:8443';
const LOOK = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'health', arguments: {} } };
/** Of the main process, and what its user may write to. */
const CONFINED = `grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs):' /proc/1/status
for each in /data /tmp /opt/drover /home/node; do touch "$each/x" 2>/dev/null && echo "writes to $each"; done
cat /run/secrets/* >/dev/null && echo 'reads the secrets'`;

describeWith(['docker', 'caddy'], 'compose.yaml, with stand-ins for the official images', () => {
  const host = useDockerHost();
  let stack: Stack;
  /** Two addresses of this machine, which is the host's neighbour. */
  let allowed: string;
  let other: string;
  let secret: string;

  beforeAll(async () => {
    const { gateway, bridge } = host().record;
    [allowed, other] = [gateway, gateway.replace(/1$/, '2')];
    await must('ip', ['addr', 'replace', `${other}/16`, 'dev', bridge]);
    stack = await Stack.prepare(host(), 'compose.yaml');
    await stack.run('./make-secrets.sh && docker compose up -d --build --wait --quiet-pull >&2');
    secret = await stack.token(allowed);
  }, BUILD_MS);
  afterAll(async () => {
    await must('ip', ['addr', 'del', `${other}/16`, 'dev', host().record.bridge]);
    await stack.end();
  });

  const health = (from: string, headers: Record<string, string> = {}): Promise<Reply> =>
    stack.call({ path: '/api/v1/health', from, headers: { Authorization: `Bearer ${secret}`, ...headers } });

  it('all of it becomes healthy, and the doctor finds nothing', async () => {
    const { 'drover-drover-1': service, 'drover-database-1': database } = await stack.containers();
    expect([service?.health, database?.health]).toEqual(['healthy', 'healthy']);
    expect(await stack.drover('doctor')).toContain('No problems found.');
  });

  it('the service has no rights but to its data', async () => {
    expect((await stack.run('docker compose exec -T drover sh -c "$1"', [CONFINED])).split('\n')).toEqual([
      'Uid:\t1000\t1000\t1000\t1000',
      expect.stringMatching(/^CapBnd:\t0+$|^CapEff:\t0+$/),
      expect.stringMatching(/^CapBnd:\t0+$|^CapEff:\t0+$/),
      'NoNewPrivs:\t1',
      'writes to /data',
      'writes to /tmp',
      'reads the secrets',
      '',
    ]);
  });

  it('a token’s addresses see the caller behind Docker and Caddy, whatever is forged', async () => {
    const { status, body } = await health(allowed);
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ client_ip: allowed })]);
    expect((await health(other)).status).toBe(403);
    expect((await health(other, { 'X-Forwarded-For': allowed })).status).toBe(403);
  });

  it('an agent reaches /mcp', async () => {
    const headers = { Authorization: `Bearer ${secret}`, Origin: ORIGIN };
    const { status, body } = await stack.call({ path: '/mcp', from: allowed, headers, body: LOOK });
    expect([status, body]).toEqual([200, expect.stringContaining(allowed)]);
  });

  it('the link in the log makes the first administrator, who can sign in', async () => {
    const asked = { link: await stack.setUpCode(), name: 'ada', password: PASSWORD };
    const headers = { Origin: ORIGIN };
    const form = (path: string, fields: Record<string, string>) =>
      stack.call({ path, headers, form: fields });
    expect((await form('/welcome/password', asked)).status).toBe(303);
    expect((await form('/sign-in', { name: 'ada', password: 'another one' })).status).not.toBe(303);
    expect((await form('/sign-in', { name: 'ada', password: PASSWORD })).status).toBe(303);
  });

  it('stops in order, and goes on with what it had', async () => {
    await stack.run('docker compose stop >&2');
    const ends = Object.entries(await stack.containers()).map(([name, { code }]) => [name, code]);
    expect(Object.fromEntries(ends)).toEqual({
      'drover-caddy-1': 0,
      'drover-database-1': 0,
      'drover-drover-1': 0,
    });
    await stack.run('docker compose down >&2 && docker compose up -d >&2');
    const answers = async () => (await health(allowed).catch(() => null))?.status === 200 || undefined;
    await eventually('it answers again', WITHIN_MS, answers);
    expect(await stack.drover('user', 'list')).toContain('ada');
  });
});

/** It takes minutes: only with the long counts. */
if (TORTURE) {
  describeWith(['docker', 'caddy'], 'compose.galera.yaml, with stand-ins for the official images', () => {
    const host = useDockerHost();
    const nodes = ['galera1', 'galera2', 'galera3'];
    let stack: Stack;
    let secret: string;

    beforeAll(async () => {
      stack = await Stack.prepare(host(), 'compose.galera.yaml');
      await stack.run(`./make-secrets.sh ${nodes.map((node) => `${node}:3306`).join(',')} >&2`);
      await stack.run('./start-galera.sh >&2');
      secret = await stack.token(host().record.gateway);
    }, BUILD_MS);
    afterAll(() => stack.end());

    const works = async (): Promise<true | undefined> => {
      const headers = { Authorization: `Bearer ${secret}` };
      return (await stack.call({ path: '/api/v1/servers', headers })).status === 200 || undefined;
    };
    /** How many nodes each node that is up counts, one line a node. */
    const sizes = (): Promise<string> =>
      stack.run(
        `for node in ${nodes.join(' ')}; do docker compose exec -T --user mysql $node mariadb --no-defaults -NBe "SHOW STATUS LIKE 'wsrep_cluster_size'" </dev/null || :; done`,
      );
    const WHOLE = 'wsrep_cluster_size\t3\n'.repeat(nodes.length);

    it('three replicas run on three nodes', async () => {
      expect(await sizes()).toBe(WHOLE);
      expect(await stack.drover('doctor')).toMatch(/3 running on this database[\s\S]*No problems found/);
      expect(await works()).toBe(true);
    });

    it('goes on without the node that all replicas were with, and with it again', async () => {
      await stack.run('docker compose kill galera1 >&2');
      await eventually('the others go on', WITHIN_MS, works);
      await stack.run('docker compose start galera1 >&2');
      await eventually('it has joined', WITHIN_MS, async () => (await sizes()) === WHOLE || undefined);
    });

    it('is started again after all were stopped in order', async () => {
      await stack.run('docker compose stop >&2');
      const codes = Object.values(await stack.containers()).map(({ code }) => code);
      expect(codes).toEqual(codes.map(() => 0));
      await stack.run('./start-galera.sh >&2');
      expect([await sizes(), await works()]).toEqual([WHOLE, true]);
    });

    it('is started again if Docker has started all nodes, and each waits for the others', async () => {
      await stack.run(`docker compose stop >&2 && docker compose start ${nodes.join(' ')} >&2`);
      await stack.run('./start-galera.sh >&2');
      expect([await sizes(), await works()]).toEqual([WHOLE, true]);
    });

    it('is there again after all nodes were killed at once', async () => {
      await stack.run(`docker compose kill ${nodes.join(' ')} >&2`);
      await stack.run('./start-galera.sh >&2');
      expect([await sizes(), await works()]).toEqual([WHOLE, true]);
    });
  });
}
