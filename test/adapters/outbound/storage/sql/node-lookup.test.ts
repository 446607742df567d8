import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeLookup } from '../../../../../src/adapters/outbound/storage/sql/mysql/mysql-client.ts';

const HERE = [{ address: '127.0.0.1', family: 4 }];

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.close();
});

describe('a lookup of nodes', () => {
  it('asks for a name once at a time, however many wait, and again afterwards', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const nodes = new NodeLookup((name, _options, answer) => {
      asked.push(name);
      answers.push(() => answer(null, HERE));
    });
    const both = [nodes.connect({ host: 'one', port }), nodes.connect({ host: 'one', port })];
    const other = nodes.connect({ host: 'two', port });
    expect(asked).toEqual(['one', 'two']);
    const connected = Promise.all([...both, other].map((socket) => once(socket, 'connect')));
    for (const answer of answers.splice(0)) answer();
    await connected;
    const again = nodes.connect({ host: 'one', port });
    expect(asked).toEqual(['one', 'two', 'one']);
    answers[0]?.();
    await once(again, 'connect');
    for (const socket of [...both, other, again]) socket.destroy();
  });

  it('tells all who wait that there is no such name', async () => {
    const nodes = new NodeLookup((_name, _options, answer) =>
      setImmediate(() => answer(Object.assign(new Error('nobody'), { code: 'ENOTFOUND' }), [])),
    );
    const both = [nodes.connect({ host: 'none', port }), nodes.connect({ host: 'none', port })];
    const told = await Promise.all(both.map((socket) => once(socket, 'error')));
    expect(told).toMatchObject([[{ code: 'ENOTFOUND' }], [{ code: 'ENOTFOUND' }]]);
  });

  it('finds real names, and takes addresses as they are', async () => {
    const nodes = new NodeLookup();
    for (const host of ['localhost', '127.0.0.1']) {
      const socket = nodes.connect({ host, port });
      await once(socket, 'connect');
      socket.destroy();
    }
  });
});
