import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../adapters/inbound/http/api-fixture.ts';
import { filesRun } from '../support/files-run.ts';

/**
 * `trigger_job` over MCP, from the request to the stored job. Its own path is what runs for it and for none of
 * `OTHERS`, which share the server, authentication, the protocol, the audit log and the database.
 */
const MAX_OWN = 20;
/** With what others run too. */
const MAX_ALL = 80;

const OTHERS: readonly (readonly [name: string, input: object])[] = [
  ['health', {}],
  ['get_server', { server_id: 1 }],
  ['set_features', { server_id: 2, docker: true }],
  ['write_file', { server_id: 1, p: 'app', name: 'x', text: '' }],
];

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
});
afterAll(() => fixture.close());

async function call(name: string, input: object): Promise<void> {
  const { result } = (await fixture.rpc(token, 'tools/call', { name, arguments: input })).json;
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result)}`);
}

describe('The path of trigger_job', () => {
  it('stays short enough to read', async () => {
    // What only the first call loads or fills is no part of any path.
    await call('trigger_job', { server_id: 1, job_type: 'os_update_check' });
    const generic = new Set<string>();
    for (const [name, input] of OTHERS) {
      for (const file of await filesRun(() => call(name, input))) generic.add(file);
    }
    const all = await filesRun(() => call('trigger_job', { server_id: 1, job_type: 'backup' }));
    const own = [...all].filter((file) => !generic.has(file)).toSorted();

    expect(own).toEqual(expect.arrayContaining(['src/application/jobs/trigger-job.ts']));
    expect(own.length, own.join('\n')).toBeLessThanOrEqual(MAX_OWN);
    expect(all.size, [...all].toSorted().join('\n')).toBeLessThanOrEqual(MAX_ALL);
  });
});
