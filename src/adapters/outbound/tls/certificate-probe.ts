import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import { DAY } from '../../../domain/base/instant.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import { BadKeyPair, type KeyPairFiles, loadKeyPair } from './key-pair.ts';

/** Automatic renewal happens a month before the end: later than that, something is wrong. */
const SOON_DAYS = 14;
const NAME = 'certificate';
const RENEW = 'renew it and replace the old files; the service loads the new ones automatically';

/** Whether the certificate and its key can be used, and until when. */
export const certificateProbe = (files: KeyPairFiles, clock: Pick<Clock, 'now'>): Probe => ({
  name: NAME,
  look: async () => {
    try {
      const { endsAt } = await loadKeyPair(files);
      return judged(files.certPath, endsAt, clock.now());
    } catch (error) {
      if (!(error instanceof BadKeyPair)) throw error;
      const remedy =
        'set SERVICE_TLS_CERT and SERVICE_TLS_KEY to a certificate and its key that this user can read';
      return { name: NAME, verdict: 'fail', detail: `No HTTPS: ${error.message}.`, remedy };
    }
  },
});

function judged(path: string, endsAt: Date, now: number): Finding {
  const day = endsAt.toISOString().slice(0, 10);
  const days = Math.floor((endsAt.getTime() - now) / DAY);
  if (days < 0) {
    return {
      name: NAME,
      verdict: 'fail',
      detail: `The certificate in ${path} expired on ${day}.`,
      remedy: RENEW,
    };
  }
  const detail = `The certificate in ${path} expires on ${day}, in ${days} ${days === 1 ? 'day' : 'days'}.`;
  return days < SOON_DAYS
    ? { name: NAME, verdict: 'warn', detail, remedy: RENEW }
    : { name: NAME, verdict: 'ok', detail, remedy: null };
}
