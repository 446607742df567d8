import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { must } from '../../../../../scripts/lib/programs.mjs';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually, kill, spawnBound } from '../../../../support/processes.ts';
import { makeKeyFile } from '../../../../support/sshd.ts';
import { SshFixture } from './ssh-fixture.ts';

describeWith('ssh', 'logging in with an SSH agent', () => {
  const fixture = new SshFixture();
  const stops: Array<() => Promise<void>> = [];
  let agents = 0;

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** An agent that holds these keys, in this order. */
  const startAgent = async (keyFiles: readonly string[]): Promise<string> => {
    agents += 1;
    const socket = join(fixture.sshd.directory, `agent${agents}`);
    const agent = spawnBound('ssh-agent', ['-D', '-a', socket]);
    stops.push(() => kill(agent));
    const add = (): Promise<unknown> =>
      must('env', [`SSH_AUTH_SOCK=${socket}`, 'ssh-add', '-q', ...keyFiles]).then(() => true);
    if (keyFiles.length > 0)
      await eventually('the agent takes keys', 60_000, () => add().catch(() => undefined));
    return socket;
  };
  const strangers = async (count: number): Promise<string[]> => {
    const files: string[] = [];
    for (let index = 0; index < count; index++) {
      files.push(await makeKeyFile(fixture.sshd.directory, `stranger${agents}-${index}`, 'ed25519'));
    }
    return files;
  };

  it('works with a key that it holds', async () => {
    const socket = await startAgent([...(await strangers(2)), fixture.sshd.privateKeyFile]);
    const host = await fixture.host({}, { authentication: { kind: 'agent', socket } });
    expect((await host.run({ script: 'exit 3' })).exitCode).toBe(3);
  });

  it.each([1, 8])('fails as host_auth_failed with %i keys that are not allowed', async (count) => {
    const socket = await startAgent(await strangers(count));
    await expect(fixture.host({}, { authentication: { kind: 'agent', socket } })).rejects.toMatchObject({
      code: 'host_auth_failed',
      message: expect.stringContaining(socket),
    });
  });

  it('fails as host_auth_failed where no agent answers, and says so', async () => {
    const socket = join(fixture.sshd.directory, 'no-agent');
    await expect(fixture.host({}, { authentication: { kind: 'agent', socket } })).rejects.toMatchObject({
      code: 'host_auth_failed',
      message: expect.stringContaining('does not answer'),
    });
  });
});
