import type {
  ChannelSender,
  ChannelTarget,
  Sent,
} from '../../src/application/ports/events/channel-sender.ts';
import type { ChannelMessage } from '../../src/domain/events/channels/channel-message.ts';
import type { Attempt } from '../../src/domain/events/delivery.ts';

/** Records messages, and refuses those for which there is an error, in order. */
export class FakeChannelSender implements ChannelSender {
  readonly sent: { readonly target: ChannelTarget; readonly message: ChannelMessage }[] = [];
  readonly called: ChannelTarget[] = [];
  readonly errors: string[] = [];

  async send(target: ChannelTarget, message: ChannelMessage): Promise<Sent> {
    this.sent.push({ target, message });
    return { ...this.#attempt(), ref: null };
  }

  async replace(): Promise<null> {
    return null;
  }

  async call(target: ChannelTarget): Promise<Attempt> {
    this.called.push(target);
    return this.#attempt();
  }

  #attempt(): Attempt {
    const error = this.errors.shift() ?? null;
    const result = error === null ? 'delivered' : 'failed';
    return { result, statusCode: error === null ? 200 : 403, durationMs: 3, error, retryAfterMs: null };
  }
}
