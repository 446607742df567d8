import { connect } from 'node:net';
import { eventually } from './processes.ts';

/** Returns when an SSH server greets on this port of 127.0.0.1. */
export async function waitForBanner(port: number): Promise<void> {
  await eventually(`an SSH server answers on port ${port}`, 60_000, () => greets(port));
}

/** Whether an SSH server greets there, now; a packet that gets no answer counts as no after a second. */
export function greets(port: number, address = '127.0.0.1'): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: address, timeout: 1000 });
    const answer = (value: true | undefined): void => {
      socket.destroy();
      resolve(value);
    };
    socket.once('error', () => answer(undefined));
    socket.once('timeout', () => answer(undefined));
    socket.once('end', () => answer(undefined));
    socket.once('data', (data) => answer(data.toString('latin1').startsWith('SSH-2.0') ? true : undefined));
  });
}
