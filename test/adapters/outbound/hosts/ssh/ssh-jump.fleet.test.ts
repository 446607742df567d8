import { describe, expect, it } from 'vitest';
import { CONTRACT_SCRIPTS } from '../../../../contracts/remote-host.scripts.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { freePort } from '../../../../support/free-port.ts';
import { SshFixture } from './ssh-fixture.ts';

describeWith('ssh', 'jump hosts', () => {
  const jump = new SshFixture();
  const inner = new SshFixture();
  const innermost = new SshFixture();

  it('carry the connections of all hosts behind them on a single one', async () => {
    const hosts = jump.hosts();
    const through = { jump: jump.access() };
    const behind = await Promise.all([
      hosts.connect(inner.access(through)),
      hosts.connect(innermost.access(through)),
    ]);
    const results = await Promise.all(behind.map((host) => host.run({ script: 'cat', stdin: 'x' })));
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(['x', 'x']);
    expect([jump.wire.count, inner.wire.count, innermost.wire.count]).toEqual([1, 1, 1]);
  });

  it('may be chained', async () => {
    const access = innermost.access({ jump: inner.access({ jump: jump.access() }) });
    const host = await jump.hosts().connect(access);
    const data = Buffer.alloc(300_000, 'drover');
    const result = await host.run({ script: 'cat', stdin: data });
    expect(result.stdout.equals(data)).toBe(true);
    expect([jump.wire.count, inner.wire.count, innermost.wire.count]).toEqual([1, 1, 1]);
  });

  it('take down what runs behind them', async () => {
    const host = await jump.hosts().connect(inner.access({ jump: jump.access() }));
    const opened = await host.open({ script: CONTRACT_SCRIPTS.wait });
    jump.wire.cut();
    await expect(opened.exit).rejects.toMatchObject({ code: 'host_connection_lost' });
    expect((await host.run({ script: 'exit 3' })).exitCode).toBe(3);
  });

  it('are closed when unused, and so are those behind them', async () => {
    const host = await jump.hosts({ idleMs: 50 }).connect(inner.access({ jump: jump.access() }));
    expect((await host.run({ script: 'sleep 0.3; exit 4' })).exitCode).toBe(4);
    await expect.poll(() => [jump.wire.open, inner.wire.open], { timeout: 5_000 }).toEqual([0, 0]);
  });

  it('that cannot reach the host are named together with it', async () => {
    const target = inner.access({ port: await freePort(), jump: jump.access() });
    await expect(jump.hosts().connect(target)).rejects.toMatchObject({
      code: 'host_unreachable',
      message: expect.stringMatching(
        new RegExp(`jump server "${jump.access().serverName}".*"${target.serverName}"`),
      ),
    });
  });

  describe('that forward nothing', () => {
    const closed = new SshFixture(['AllowTcpForwarding no']);

    it('say what to allow', async () => {
      const target = inner.access({ jump: closed.access() });
      await expect(closed.hosts().connect(target)).rejects.toMatchObject({
        code: 'host_unreachable',
        message: expect.stringContaining('AllowTcpForwarding'),
      });
    });
  });
});
