import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../support/agent.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { Service, type ServiceOptions } from '../support/service.ts';

const ROUNDS = rounds(20, 200);
/** One in as many ends normally; the others are cancelled, waiting or running. */
const FINISH_EVERY = 10;

const Answer = z.discriminatedUnion('http_status', [
  z.object({ http_status: z.literal(202), job_id: z.int() }),
  z.object({
    http_status: z.literal(409),
    already_active: z.literal(true),
    job_id: z.int(),
    job: z.object({ id: z.int(), server_id: z.int(), job_type: z.string(), done: z.boolean() }),
  }),
]);
type Answer = z.output<typeof Answer>;

/** Two agents that request a backup of one server at the same time, again and again. */
function race(start: () => Promise<readonly Service[]>, drop: () => Promise<void> = async () => {}): void {
  let services: readonly Service[] = [];
  let agents: readonly Agent[] = [];
  let rest: RestClient;
  beforeAll(async () => {
    services = await start();
    const [first] = services;
    const last = services.at(-1);
    if (!first || !last) throw new Error('there is a service');
    const token = await first.token();
    agents = await Promise.all([first, last].map(({ url }) => Agent.connect(url, token)));
    rest = new RestClient(first.url, token);
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    await Promise.all(services.map((service) => service.remove()));
    await drop();
  });

  it(`one starts it and the other gets that job, ${ROUNDS} times of ${ROUNDS}`, async () => {
    const seen: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(agents.map(ask));
      const [started, told] = answers.toSorted((a, b) => a.http_status - b.http_status);
      expect([started?.http_status, told?.http_status]).toEqual([202, 409]);
      expect(told).toMatchObject({
        job_id: started?.job_id,
        job: { id: started?.job_id, server_id: 1, job_type: 'backup', done: false },
      });
      const ended = await end(started?.job_id ?? 0, round % FINISH_EVERY === 0);
      seen[ended] = (seen[ended] ?? 0) + 1;
    }
    expect(seen['success']).toBeGreaterThanOrEqual(ROUNDS / FINISH_EVERY);
    const { total } = z.object({ total: z.int() }).parse((await rest.get('/api/v1/jobs')).body);
    expect(total).toBe(ROUNDS);
  });

  async function end(id: number, byItself: boolean): Promise<string> {
    // it may have ended meanwhile
    if (!byItself) expect([202, 409]).toContain((await rest.post(`/api/v1/jobs/${id}/cancel`)).status);
    const { status } = await rest.jobEnd(id);
    expect(byItself ? ['success'] : ['success', 'cancelled']).toContain(status);
    return status;
  }
}

async function ask(agent: Agent): Promise<Answer> {
  const { isError, body } = await agent.call('trigger_job', { server_id: 1, job_type: 'backup' });
  expect(isError).toBe(false);
  return Answer.parse(body);
}

/** Services on one MariaDB, each with a separate data directory. */
function onMariaDb(count: number) {
  const made: { drop: () => Promise<void> }[] = [];
  const start = async (): Promise<readonly Service[]> => {
    const database = await freshMariaDb();
    made.push(database);
    const options: ServiceOptions = {
      settings: {
        SERVICE_DATABASE_URL: database.url,
        SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    };
    return Promise.all(Array.from({ length: count }, () => Service.start(options)));
  };
  return [start, async () => void (await Promise.all(made.map(({ drop }) => drop())))] as const;
}

describeWith('rsync', 'two agents of a service on SQLite', () => race(async () => [await Service.start()]));
describeWith(['rsync', 'mariadb'], 'two agents of a service on MariaDB', () => race(...onMariaDb(1)));
describeWith(['rsync', 'mariadb'], 'agents of two services on one MariaDB', () => race(...onMariaDb(2)));
