import {
  type BrokerConnection,
  BrokerRefused,
  type BrokerTarget,
  type BrokerTerms,
  type MessageBroker,
} from '../../src/application/ports/events/message-broker.ts';

const matches = (filter: string, topic: string): boolean => {
  const [wanted, parts] = [filter.split('/'), topic.split('/')];
  return wanted.length === parts.length && wanted.every((part, at) => part === '+' || part === parts[at]);
};

/** A broker in memory, with one user. */
export class FakeBroker implements MessageBroker {
  /** What it keeps, by topic. */
  readonly kept = new Map<string, string>();
  /** Every message since the start. */
  readonly sent: { readonly topic: string; readonly payload: string }[] = [];
  /** Refuses connections and messages with this. */
  fault: string | null = null;
  /** Refuses messages only. */
  messageFault: string | null = null;
  readonly #open = new Map<string, FakeConnection>();
  readonly #password: string | null;
  connections = 0;

  constructor(password: string | null = null) {
    this.#password = password;
  }

  async connect(target: BrokerTarget, terms: BrokerTerms): Promise<BrokerConnection> {
    this.connections += 1;
    if (this.fault !== null) throw new BrokerRefused(this.fault);
    if (this.#password !== null && target.password !== this.#password)
      throw new BrokerRefused('The broker refused the user name or password.');
    this.#open.get(terms.clientId)?.break();
    const connection = new FakeConnection(this, terms);
    this.#open.set(terms.clientId, connection);
    for (const [topic, payload] of this.kept) connection.take(topic, payload, true);
    return connection;
  }

  take(topic: string, payload: string, isRetained: boolean): void {
    this.sent.push({ topic, payload });
    if (isRetained && payload === '') this.kept.delete(topic);
    else if (isRetained) this.kept.set(topic, payload);
    for (const connection of this.#open.values()) connection.take(topic, payload, false);
  }

  /** As a cut cable does. */
  breakAll(): void {
    for (const connection of this.#open.values()) connection.break();
  }
}

class FakeConnection implements BrokerConnection {
  readonly address = '127.0.0.1';
  isOpen = true;
  readonly #broker: FakeBroker;
  readonly #terms: BrokerTerms;

  constructor(broker: FakeBroker, terms: BrokerTerms) {
    this.#broker = broker;
    this.#terms = terms;
  }

  async publish(topic: string, payload: string, isRetained: boolean): Promise<void> {
    if (!this.isOpen) throw new BrokerRefused('It closed the connection.');
    const fault = this.#broker.fault ?? this.#broker.messageFault;
    if (fault !== null) throw new BrokerRefused(fault);
    this.#broker.take(topic, payload, isRetained);
  }

  async close(): Promise<void> {
    this.isOpen = false;
  }

  take(topic: string, payload: string, isRetained: boolean): void {
    if (this.isOpen && this.#terms.topics.some((filter) => matches(filter, topic)))
      this.#terms.onMessage?.({ topic, payload, isRetained });
  }

  break(): void {
    const { will } = this.#terms;
    const wasOpen = this.isOpen;
    this.isOpen = false;
    if (wasOpen && will) this.#broker.take(will.topic, will.payload, true);
  }
}
