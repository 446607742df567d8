import { batches } from '../../domain/base/batches.ts';
import { type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { AlertChannel } from '../../domain/events/channels/alert-channel.ts';
import { withDefaults } from '../../domain/events/channels/channel-fields.ts';
import type { FieldValues } from '../../domain/events/channels/channel-kind.ts';
import { HOME_ASSISTANT } from '../../domain/events/channels/mqtt-kind.ts';
import { answerState } from '../../domain/events/home-assistant/states.ts';
import {
  answerTopic,
  commandOf,
  commandTopic,
  configTopic,
  OFFLINE,
  ONLINE,
  PRESSED,
  serverId,
  serverOfState,
  serverStateTopic,
  statusTopic,
  type Topics,
} from '../../domain/events/home-assistant/topics.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import type { BrokerConnection, BrokerMessage } from '../ports/events/message-broker.ts';
import type { DescribeToHomeAssistant } from './describe-to-home-assistant.ts';
import type { HomeAssistantCommands } from './home-assistant-commands.ts';
import { channelSecrets } from './people-channel.ts';

const FIRST_PAUSE_MS = 15 * SECOND;
const MAX_PAUSE_MS = 10 * MINUTE;
const MAX_WAITING_COMMANDS = 20;
/** Servers of earlier connections whose topics are deleted. */
const MAX_FORMER = 2_000;
const AT_ONCE = 50;

interface Deps {
  readonly describeToHomeAssistant: Pick<DescribeToHomeAssistant, 'execute'>;
  readonly homeAssistantCommands: Pick<HomeAssistantCommands, 'execute'>;
}

/** An edit of the channel ends it. */
interface Failure {
  readonly channel: AlertChannel;
  readonly times: number;
  readonly nextAt: Instant;
}

/**
 * Keeps the topics of brokers up to date from which Home Assistant makes its devices and entities, and takes its
 * commands. A second process that does the same replaces the first one's connections.
 */
export class PublishToHomeAssistant extends UseCase<
  'alertChannels.list' | 'broker' | 'box' | 'clock' | 'log',
  Deps
> {
  readonly #open = new Map<number, OpenChannel>();
  readonly #failed = new Map<number, Failure>();

  async execute(signal: AbortSignal): Promise<void> {
    const all = (await this.deps.alertChannels.list()).filter(({ kind }) => kind === 'mqtt');
    for (const [id, open] of this.#open) {
      const now = all.find((channel) => channel.id === id);
      if (!open.isOpen || !isStill(open.channel, now)) await this.#end(open, now);
    }
    for (const [id, { channel }] of this.#failed) {
      const now = all.find((each) => each.id === id);
      if (!isStill(channel, now)) this.#failed.delete(id);
    }
    for (const channel of all) {
      if (signal.aborted) return;
      if (channel.enabled) await this.#refresh(channel, signal);
    }
  }

  /** Before the process ends: its devices become unavailable. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((open) => this.#end(open, open.channel)));
  }

  /** A channel that is gone, or has other topics, takes its devices with it. */
  async #end(open: OpenChannel, now: AlertChannel | undefined): Promise<void> {
    const { id, fields } = open.channel;
    this.#open.delete(id);
    const isSame = now !== undefined && topicsOf(now.fields).base === topicsOf(fields).base;
    await open.leave(isSame && topicsOf(now.fields).prefix === topicsOf(fields).prefix);
  }

  async #refresh(channel: AlertChannel, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.deps;
    const { id, name } = channel;
    const before = this.#failed.get(id);
    // A clock that was set back starts over.
    if (before && clock.now() < before.nextAt && before.nextAt - clock.now() <= MAX_PAUSE_MS) return;
    try {
      const open = this.#open.get(id) ?? (await this.#connect(channel, signal));
      await open.publish(await this.deps.describeToHomeAssistant.execute(open.terms));
      if (this.#failed.delete(id)) log.info('Home Assistant is up to date again', { channel: name });
    } catch (error) {
      if (signal.aborted) return;
      const times = (before?.times ?? 0) + 1;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), MAX_PAUSE_MS);
      this.#failed.set(id, { channel, times, nextAt: clock.now() + pause });
      if (!before)
        log.warn('Home Assistant cannot be kept up to date; it is tried again', {
          channel: name,
          error: String(error),
        });
    }
  }

  async #connect(channel: AlertChannel, signal: AbortSignal): Promise<OpenChannel> {
    const { broker, box } = this.deps;
    const values = withDefaults(HOME_ASSISTANT, { ...channel.fields, ...channelSecrets(channel, box) });
    const topics = topicsOf(values);
    const open = new OpenChannel(channel, values, this.deps);
    const connection = await broker.connect(
      { ...HOME_ASSISTANT.broker(values), allowPrivate: channel.allowPrivate },
      {
        clientId: `drover-${topics.base}-${channel.id}`,
        will: { topic: statusTopic(topics), payload: OFFLINE },
        topics: [
          serverStateTopic(topics, '+'),
          ...(values['token'] === undefined ? [] : [commandTopic(topics, '+', '+')]),
        ],
        onMessage: (message) => open.receive(message),
      },
      signal,
    );
    open.begin(connection);
    this.#open.set(channel.id, open);
    return open;
  }
}

/** Whether it is in use, as it was. */
const isStill = (channel: AlertChannel, now: AlertChannel | undefined): boolean =>
  now?.enabled === true && JSON.stringify(now) === JSON.stringify(channel);

const topicsOf = (values: FieldValues): Topics => {
  const { topic = '', prefix = '' } = withDefaults(HOME_ASSISTANT, values);
  return { base: topic, prefix };
};

type Published = ReadonlyMap<string, string>;

type OpenDeps = Pick<Deps, 'homeAssistantCommands'> & Pick<Ports, 'clock' | 'log'>;

/** A channel while its broker is connected. */
class OpenChannel {
  readonly channel: AlertChannel;
  readonly #values: FieldValues;
  readonly #topics: Topics;
  readonly #deps: OpenDeps;
  #connection: BrokerConnection | null = null;
  /** By topic, as the broker has it. */
  #published: Published = new Map();
  /** Servers whose states the broker kept from before. */
  readonly #former = new Set<number>();
  #waiting = 0;
  /** Until a command is done. */
  #isFull = false;
  #commands = Promise.resolve();

  constructor(channel: AlertChannel, values: FieldValues, deps: OpenDeps) {
    this.channel = channel;
    this.#values = values;
    this.#topics = topicsOf(values);
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#connection?.isOpen === true;
  }

  get terms() {
    const { tag, token } = this.#values;
    return { topics: this.#topics, tag: tag ?? null, hasCommands: token !== undefined };
  }

  begin(connection: BrokerConnection): void {
    this.#connection = connection;
  }

  /** Sends what has changed, and deletes what is gone. `wanted`: the message of each topic. */
  async publish(wanted: Published): Promise<void> {
    const gone = [...this.#published.keys()].filter((topic) => !wanted.has(topic));
    const former = [...this.#former].filter((id) => !wanted.has(serverStateTopic(this.#topics, id)));
    const changed = [...wanted].filter(([topic, payload]) => this.#published.get(topic) !== payload);
    // Once everything is there, the devices become available.
    await this.#send(changed);
    await this.#delete([...gone, ...former.flatMap((id) => this.#topicsOfServer(id))]);
    this.#published = wanted;
    for (const id of former) this.#former.delete(id);
    await this.#send([[statusTopic(this.#topics), ONLINE]]);
  }

  /** A message of the broker: a state from before, or a command. */
  receive({ topic, payload, isRetained }: BrokerMessage): void {
    const former = isRetained && payload !== '' ? serverOfState(this.#topics, topic) : null;
    if (former !== null && this.#former.size < MAX_FORMER) this.#former.add(former);
    const asked = commandOf(this.#topics, topic);
    // A command that is kept would be given again after each start.
    if (asked === null || isRetained || payload !== PRESSED) return;
    if (this.#waiting >= MAX_WAITING_COMMANDS) {
      if (!this.#isFull)
        this.#deps.log.warn('too many commands of Home Assistant; some are dropped', {
          channel: this.channel.name,
        });
      this.#isFull = true;
      return;
    }
    this.#waiting += 1;
    this.#commands = this.#commands
      .then(() => this.#obey(asked))
      .finally(() => {
        this.#waiting -= 1;
        this.#isFull = false;
      });
  }

  async #obey(asked: NonNullable<ReturnType<typeof commandOf>>): Promise<void> {
    const { token, approval } = this.#values;
    const isShown = this.#published.has(serverStateTopic(this.#topics, asked.serverId));
    if (token === undefined || !this.#connection || !isShown) return;
    const { address } = this.#connection;
    const answer = await this.#deps.homeAssistantCommands.execute(
      { secret: token, address, needsApproval: approval !== 'any' },
      asked,
    );
    const state = JSON.stringify(answerState(answer, this.#deps.clock.now()));
    // The answer is only shown; what was asked for is done or refused.
    await this.#send([[answerTopic(this.#topics), state]]).catch(() => {});
  }

  /** Closes the connection. `keeps`: the devices stay, as unavailable ones. */
  async leave(keeps: boolean): Promise<void> {
    await this.#commands;
    try {
      if (keeps) await this.#send([[statusTopic(this.#topics), OFFLINE]]);
      else
        await this.#delete([...this.#published.keys(), statusTopic(this.#topics), answerTopic(this.#topics)]);
    } catch {
      // The broker is gone, and sends the will.
    }
    await this.#connection?.close();
  }

  #topicsOfServer(id: number): readonly string[] {
    return [configTopic(this.#topics, serverId(this.#topics, id)), serverStateTopic(this.#topics, id)];
  }

  #delete(topics: readonly string[]): Promise<void> {
    return this.#send(topics.map((topic) => [topic, '']));
  }

  async #send(messages: readonly (readonly [string, string])[]): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    for (const part of batches(messages, AT_ONCE))
      await Promise.all(part.map(([topic, payload]) => connection.publish(topic, payload, true)));
  }
}
