import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { MqttBroker } from '../../../../src/adapters/outbound/notifications/mqtt-broker.ts';
import type { BrokerTarget } from '../../../../src/application/ports/events/message-broker.ts';
import { messageBrokerContract } from '../../../contracts/message-broker.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { freePort } from '../../../support/free-port.ts';
import { BROKER_LOGIN, BROKER_PASSWORD, Mosquitto } from '../../../support/mosquitto.ts';
import { eventually } from '../../../support/processes.ts';

const NEVER = new AbortController().signal;
const ANY = { clientId: 'any', topics: [] };

describeWith('mosquitto', 'MQTT, with mosquitto', () => {
  const targetOf = (broker: Mosquitto): BrokerTarget => ({
    host: '127.0.0.1',
    port: broker.port,
    isEncrypted: false,
    login: BROKER_LOGIN,
    password: BROKER_PASSWORD,
    allowPrivate: true,
  });
  messageBrokerContract('mosquitto', async () => {
    const mosquitto = await Mosquitto.start();
    return {
      broker: new MqttBroker({ allowPrivate: false }),
      target: targetOf(mosquitto),
      remove: () => mosquitto.remove(),
    };
  });

  let mosquitto: Mosquitto;
  let target: BrokerTarget;
  let server: Server | null = null;
  beforeAll(async () => {
    mosquitto = await Mosquitto.start();
    target = targetOf(mosquitto);
  });
  afterAll(() => mosquitto.remove());
  afterEach(() => {
    server?.close();
    server = null;
  });

  it('encrypts, and refuses a certificate that it does not trust, before it sends the password', async () => {
    const overTls = { ...target, host: 'localhost', port: mosquitto.tlsPort, isEncrypted: true };
    const connection = await new MqttBroker({ allowPrivate: false, ca: mosquitto.ca }).connect(
      overTls,
      ANY,
      NEVER,
    );
    await connection.publish('drover/status', 'online', false);
    await connection.close();
    const strict = new MqttBroker({ allowPrivate: false });
    await expect(strict.connect(overTls, ANY, NEVER)).rejects.toThrow(/certificate or encryption/);
    const byAddress = { ...overTls, host: '127.0.0.1' };
    const trusting = new MqttBroker({ allowPrivate: false, ca: mosquitto.ca });
    await expect(trusting.connect(byAddress, ANY, NEVER)).rejects.toThrow(/certificate or encryption/);
  });

  it('connects to private addresses only if the channel allows it', async () => {
    const broker = new MqttBroker({ allowPrivate: false });
    await expect(broker.connect({ ...target, allowPrivate: false }, ANY, NEVER)).rejects.toThrow(
      '127.0.0.1 is not a public address.',
    );
    const named = { ...target, host: 'broker.example.org', allowPrivate: false };
    const resolving = new MqttBroker({
      allowPrivate: false,
      resolve: async () => [{ address: '10.0.0.1', family: 4 }],
    });
    await expect(resolving.connect(named, ANY, NEVER)).rejects.toThrow(/resolves to 10\.0\.0\.1/);
  });

  it('says that a topic is not allowed', async () => {
    const connection = await new MqttBroker({ allowPrivate: true }).connect(target, ANY, NEVER);
    await expect(connection.publish('secret/x', '1', true)).rejects.toThrow(
      /does not allow this user these topics/,
    );
    await connection.close();
  });

  it('says what is wrong with a broker that is not there, silent, or something else', async () => {
    const broker = new MqttBroker({ allowPrivate: true });
    await expect(broker.connect({ ...target, port: await freePort() }, ANY, NEVER)).rejects.toThrow(
      /refuses connections/,
    );
    const answering = async (first: string): Promise<number> => {
      const port = await freePort();
      server = createServer((socket) => {
        socket.on('error', () => {});
        socket.write(first);
      });
      await new Promise<void>((done) => server?.listen(port, '127.0.0.1', done));
      return port;
    };
    await expect(
      broker.connect({ ...target, port: await answering('HTTP/1.1 400 Bad Request\r\n\r\n') }, ANY, NEVER),
    ).rejects.toThrow(/The connection to the broker failed|It closed/);
    server?.close();
    const aborted = AbortSignal.timeout(300);
    await expect(broker.connect({ ...target, port: await answering('') }, ANY, aborted)).rejects.toThrow();
  });

  it('notices that the broker has died', async () => {
    const own = await Mosquitto.start();
    const connection = await new MqttBroker({ allowPrivate: true }).connect(targetOf(own), ANY, NEVER);
    await own.kill();
    await eventually('the connection ends', 10_000, async () => !connection.isOpen || undefined);
    await expect(connection.publish('drover/status', 'x', true)).rejects.toThrow(/closed the connection/);
    await connection.close();
    await own.remove();
  });
});
