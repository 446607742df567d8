import type { WebhookMessage, WebhookSender } from '../../src/application/ports/events/webhook-sender.ts';
import type { Attempt } from '../../src/domain/events/delivery.ts';

/** Records messages, and answers with the given statuses, then with 204. */
export class FakeWebhookSender implements WebhookSender {
  readonly sent: WebhookMessage[] = [];
  readonly answers: number[] = [];

  async send(message: WebhookMessage): Promise<Attempt> {
    this.sent.push(message);
    const statusCode = this.answers.shift() ?? 204;
    const delivered = statusCode < 300;
    return {
      result: delivered ? 'delivered' : statusCode === 410 ? 'gone' : 'failed',
      statusCode,
      durationMs: 3,
      error: delivered ? null : `It answered ${statusCode}.`,
      retryAfterMs: null,
    };
  }
}
