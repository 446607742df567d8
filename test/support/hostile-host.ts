import { PassThrough, Readable } from 'node:stream';
import type { HostCommand, RemoteHost } from '../../src/application/ports/remote-host.ts';
import { runToEnd } from '../../src/application/remote-host/run-to-end.ts';

/** A host that prints a text on both streams, whatever it is asked, and then ends with that code. */
export function hostileHost(exitCode: number, print: (command: HostCommand) => Iterable<Buffer>): RemoteHost {
  const open: RemoteHost['open'] = (command) => {
    const [stdout, stderr] = [print(command), print(command)].map((chunks) =>
      Readable.from(chunks, { objectMode: false }),
    ) as [Readable, Readable];
    const stdin = new PassThrough().resume();
    const over = Promise.all([stdout, stderr].map((each) => new Promise((done) => each.once('close', done))));
    const kill = (): void => [stdout, stderr].forEach((stream) => void stream.destroy());
    return Promise.resolve({
      stdin,
      stdout,
      stderr,
      exit: over.then(() => ({ exitCode, signal: null })),
      kill,
    });
  };
  return {
    open,
    run: (command, options) => runToEnd('web', open, command, options),
    release: () => undefined,
  };
}
