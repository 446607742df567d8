import { AddressRefused } from './guarded-lookup.ts';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refuses connections.',
  ECONNRESET: 'It broke the connection off.',
  EPIPE: 'It broke the connection off.',
  ENOTFOUND: 'Its name cannot be resolved.',
  EAI_AGAIN: 'Its name cannot be resolved now.',
  EHOSTUNREACH: 'There is no way to it.',
  ENETUNREACH: 'There is no way to it.',
  ETIMEDOUT: 'It did not answer in time.',
};

/** Why there was no answer, in words of our own: an error's may hold the address, which is a secret. */
export function failureWords(error: unknown, hasRunOut: boolean): string {
  if (hasRunOut) return 'It did not answer in time.';
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof AddressRefused) return each.message;
  }
  const code = codeOf(error);
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code))
    return `Its certificate or encryption is not as it should be (${code}).`;
  if (code.startsWith('HPE_')) return 'It does not speak HTTP.';
  return WORDS[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`;
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : '';
}

export function answerWords(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}, a redirect, which is not followed.`;
  return status === 410 ? 'It answered 410: it wants nothing any more.' : `It answered ${status}.`;
}
