import { connect } from 'node:net';
import { eventually } from './processes.ts';

/** Returns when an SSH server greets on this port of 127.0.0.1. */
export async function waitForBanner(port: number): Promise<void> {
  await eventually(`an SSH server answers on port ${port}`, 10_000, () => greets(port));
}

function greets(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (value: true | undefined): void => {
      socket.destroy();
      resolve(value);
    };
    socket.once('error', () => answer(undefined));
    socket.once('end', () => answer(undefined));
    socket.once('data', (data) => answer(data.toString('latin1').startsWith('SSH-2.0') ? true : undefined));
  });
}
