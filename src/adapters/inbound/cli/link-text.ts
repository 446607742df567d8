import type { OfferedLink } from '../../../application/access/account-links.ts';
import { toIso } from '../../../domain/base/instant.ts';
import { localTime } from './local-time.ts';
import type { Session } from './session.ts';

/** The secret follows the #, which browsers send to no server. */
const urlOf = ({ publicUrl, httpPort }: Session['settings'], { secret }: OfferedLink): string =>
  `${publicUrl ?? `http://localhost:${httpPort}`}/welcome#${secret}`;

export const linkJson = (settings: Session['settings'], offered: OfferedLink): object => ({
  url: urlOf(settings, offered),
  expires_at: toIso(offered.expiresAt),
});

export const linkText = (settings: Session['settings'], offered: OfferedLink): string =>
  `Set the password with this one-time link, valid until ${localTime(offered.expiresAt)}:\n  ${urlOf(settings, offered)}\n`;
