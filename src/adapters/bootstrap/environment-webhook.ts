import type { EnvironmentWebhook } from '../../application/events/apply-environment-webhook.ts';
import { webhookUrl } from '../../domain/events/webhook.ts';
import type { Config } from './config.ts';
import { BadValue, refusedAs } from './config-values.ts';
import { ConfigurationError } from './read-variables.ts';

type WebhookConfig = Pick<
  Config,
  'webhookUrl' | 'webhookSecret' | 'webhookEvents' | 'webhookMinSeverity' | 'webhookAllowPrivate'
>;

/** The webhook from the environment, `null` if there is none. Throws `ConfigurationError`. */
export function environmentWebhook(config: WebhookConfig): EnvironmentWebhook | null {
  if (config.webhookUrl === null) return null;
  if (config.webhookSecret === null) throw fault('WEBHOOK_SECRET', 'it is not set, and WEBHOOK_URL is');
  const raw = config.webhookUrl.reveal();
  try {
    return {
      url: refusedAs(() => webhookUrl(raw, { allowPrivate: config.webhookAllowPrivate })),
      secret: config.webhookSecret.reveal(),
      filter: { events: config.webhookEvents, minSeverity: config.webhookMinSeverity, tags: null },
    };
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw fault('WEBHOOK_URL', error.message);
  }
}

const fault = (name: string, detail: string): ConfigurationError =>
  new ConfigurationError([{ name, detail: `${detail}.` }]);
