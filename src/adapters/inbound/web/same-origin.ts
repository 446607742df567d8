import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../../domain/base/errors.ts';

/**
 * Accepts forms from our own pages only. Browsers send the origin of a request in `Sec-Fetch-Site`, which no page can
 * change; for the few that do not, `Origin` has to be ours. Throws `origin_not_allowed`.
 */
export function requireSameOrigin(req: IncomingMessage, publicUrl: string | null): void {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site === 'same-origin') return;
    throw refused();
  }
  const { origin, host } = req.headers;
  if (origin === undefined || !URL.canParse(origin)) throw refused();
  const from = new URL(origin);
  const ours = [
    URL.canParse(`${from.protocol}//${host}`) ? new URL(`${from.protocol}//${host}`).origin : null,
  ];
  if (publicUrl !== null) ours.push(new URL(publicUrl).origin);
  if (!ours.includes(from.origin)) throw refused();
}

const refused = (): DomainError =>
  new DomainError(
    'origin_not_allowed',
    'This form was not sent from the Drover web UI. Open the page again and retry.',
  );
