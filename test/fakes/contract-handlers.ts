import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { CONTRACT_SCRIPTS } from '../contracts/remote-host.scripts.ts';
import type { FakeHost } from './fake-host.ts';
import type { FakeCall } from './fake-process.ts';

/** Teaches a fake host the contract suite's scripts. */
export function teachContract(host: FakeHost): FakeHost {
  const alive = new Set<string>();
  let lastPid = 100;
  const hang = async ({ stdout, signal }: FakeCall): Promise<void> => {
    const pid = String(++lastPid);
    alive.add(pid);
    signal.addEventListener('abort', () => alive.delete(pid));
    stdout.write(`${pid}\n`);
    await once(signal, 'abort');
  };
  return host
    .on(CONTRACT_SCRIPTS.args, ({ args }) => [String(args.length), ...args].map((arg) => `${arg}\0`).join(''))
    .on(CONTRACT_SCRIPTS.exit, ({ args }) => Number(args[0]))
    .on(CONTRACT_SCRIPTS.die, ({ args }) => ({ signal: `SIG${args[0]}` }))
    .on(CONTRACT_SCRIPTS.both, () => ({ stdout: 'out', stderr: 'err' }))
    .on(CONTRACT_SCRIPTS.cat, ({ stdin, stdout }) => pipeline(stdin, stdout, { end: false }))
    .on(CONTRACT_SCRIPTS.zeros, zeros)
    .on(CONTRACT_SCRIPTS.talk, async ({ stdin, stdout }) => {
      for await (const line of stdin) stdout.write(`got ${line}`);
    })
    .on(CONTRACT_SCRIPTS.hang, hang)
    .on(CONTRACT_SCRIPTS.stubborn, hang)
    .on(CONTRACT_SCRIPTS.wait, hang)
    .on(CONTRACT_SCRIPTS.alive, ({ args }) => (alive.has(args[0] ?? '') ? 0 : 1));
}

async function zeros({ args, stdout, signal }: FakeCall): Promise<void> {
  for (let left = Number(args[0]); left > 0; left -= 65_536) {
    if (!stdout.write(Buffer.alloc(Math.min(left, 65_536)))) await once(stdout, 'drain', { signal });
  }
}
