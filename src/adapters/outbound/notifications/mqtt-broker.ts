import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import {
  type BrokerConnection,
  BrokerRefused,
  type BrokerTarget,
  type BrokerTerms,
  type MessageBroker,
} from '../../../application/ports/events/message-broker.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { limitedSignal, whenAborted } from '../hosts/shell/when-aborted.ts';
import { AddressRefused, allowedAddress, type Resolve, systemResolve } from './guarded-lookup.ts';

const LIMIT_MS = 15 * SECOND;
const KEEPALIVE_S = 30;
/** Brokers send no larger message: commands are a few bytes, and states a few kilobytes. */
const MAX_PACKET_BYTES = 64 * 1024;

interface Deps {
  /** For all brokers. */
  readonly allowPrivate: boolean;
  /** The system's, except in tests. */
  readonly resolve?: Resolve;
  /** Authorities that sign certificates, beside the system's; for tests. */
  readonly ca?: string;
}

/** Speaks MQTT 5 with brokers, only at allowed addresses. A connection that ends is not opened again. */
export class MqttBroker implements MessageBroker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async connect(target: BrokerTarget, terms: BrokerTerms, signal: AbortSignal): Promise<BrokerConnection> {
    const { resolve = systemResolve, allowPrivate, ca } = this.#deps;
    const { host, port, isEncrypted, login, password } = target;
    const limited = limitedSignal(signal, LIMIT_MS, () => new BrokerRefused(TOO_LATE));
    let client: MqttClient | null = null;
    try {
      const address = await allowedAddress(host, resolve, target.allowPrivate || allowPrivate);
      // Only the service needs it. Once bundled, a CommonJS package has no other export.
      const { default: mqtt } = await import('mqtt');
      client = mqtt.connect({
        protocol: isEncrypted ? 'mqtts' : 'mqtt',
        protocolVersion: 5,
        // What was checked is what is connected to.
        host: address,
        port,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(ca === undefined ? {} : { ca }),
        clientId: terms.clientId,
        ...(login === undefined ? {} : { username: login, password: password ?? '' }),
        ...(terms.will ? { will: { ...terms.will, payload: Buffer.from(terms.will.payload), ...KEPT } } : {}),
        properties: { maximumPacketSize: MAX_PACKET_BYTES },
        keepalive: KEEPALIVE_S,
        connectTimeout: LIMIT_MS,
        reconnectPeriod: 0,
        reconnectOnConnackError: false,
      });
      const open = new MqttConnection(client, address);
      await open.ready(terms, limited.signal);
      return open;
    } catch (error) {
      client?.end(true);
      throw refusal(error);
    } finally {
      limited.release();
    }
  }
}

const KEPT = { qos: 1, retain: true } as const;

class MqttConnection implements BrokerConnection {
  readonly address: string;
  readonly #client: MqttClient;
  readonly #closed = new AbortController();

  constructor(client: MqttClient, address: string) {
    this.#client = client;
    this.address = address;
    client.on('close', () => this.#closed.abort(new BrokerRefused('It closed the connection.')));
    // What comes after the connection ends it; `close` follows.
    client.on('error', (error) => this.#closed.abort(error));
  }

  get isOpen(): boolean {
    return !this.#closed.signal.aborted;
  }

  async ready({ topics, onMessage }: BrokerTerms, signal: AbortSignal): Promise<void> {
    if (onMessage)
      this.#client.on('message', (topic, payload, { retain }) =>
        onMessage({ topic, payload: payload.toString(), isRetained: retain }),
      );
    const connected = new Promise<void>((done) => this.#client.once('connect', () => done()));
    await this.#unlessClosed(connected, signal).catch((error: unknown) => {
      throw refusal(error, AT_CONNECT);
    });
    if (topics.length > 0)
      await this.#unlessClosed(this.#client.subscribeAsync([...topics], { qos: 1 }), signal);
  }

  async publish(topic: string, payload: string, isRetained: boolean): Promise<void> {
    const limited = limitedSignal(undefined, LIMIT_MS, () => new BrokerRefused(TOO_LATE));
    try {
      const sent = this.#client.publishAsync(topic, payload, { qos: 1, retain: isRetained });
      await this.#unlessClosed(sent, limited.signal);
    } catch (error) {
      throw refusal(error);
    } finally {
      limited.release();
    }
  }

  async close(): Promise<void> {
    const wasOpen = this.isOpen;
    // The broker may be gone: the socket is closed after a moment in any case.
    if (wasOpen)
      await Promise.race([this.#client.endAsync().catch(() => {}), sleep(SECOND, undefined, { ref: false })]);
    this.#client.end(true);
  }

  /** The client itself waits for a new connection. */
  #unlessClosed<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const ends = [signal, this.#closed.signal].map((each) => whenAborted(each, () => reject(each.reason)));
      work.then(resolve, reject).finally(() => {
        for (const end of ends) end();
      });
    });
  }
}

const TOO_LATE = 'The broker did not answer in time.';
const NO_ENTRY = 'The broker refused the user name or password.';
const OTHER_VERSION = 'The broker does not speak MQTT 5.';
const NO_TOPIC = 'The broker does not allow this user these topics.';

/** Reason codes of MQTT 5, and return codes of brokers that do not speak it. */
const AT_CONNECT: Readonly<Record<number, string>> = {
  1: OTHER_VERSION,
  4: NO_ENTRY,
  5: NO_ENTRY,
  132: OTHER_VERSION,
  134: NO_ENTRY,
  135: NO_ENTRY,
  137: 'The broker is busy.',
};
const AFTERWARDS: Readonly<Record<number, string>> = {
  135: NO_TOPIC,
  144: NO_TOPIC,
  151: 'The quota of the broker is reached.',
};

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The broker refuses connections at this port.',
  ECONNRESET: 'It closed the connection: check the port and the encryption.',
  EPIPE: 'It closed the connection.',
  ENOTFOUND: 'The name of the broker cannot be resolved.',
  EAI_AGAIN: 'The name of the broker cannot be resolved now.',
  EHOSTUNREACH: 'There is no route to the broker.',
  ENETUNREACH: 'There is no route to the broker.',
  ETIMEDOUT: TOO_LATE,
};

/** In Drover's words: an error may contain what was sent. */
function refusal(error: unknown, reasons = AFTERWARDS): BrokerRefused {
  if (error instanceof BrokerRefused) return error;
  if (error instanceof AddressRefused) return new BrokerRefused(error.message);
  const { code = '' } = error as { readonly code?: string | number };
  if (typeof code === 'number') return new BrokerRefused(reasons[code] ?? `The broker refused (${code}).`);
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code))
    return new BrokerRefused(`The certificate or encryption of the broker is invalid (${code}).`);
  return new BrokerRefused(WORDS[code] ?? 'The connection to the broker failed.');
}
