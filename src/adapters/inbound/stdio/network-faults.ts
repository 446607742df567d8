import { CallFailure } from './call-failure.ts';

/** What people call the faults of networks; others are told by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ENETUNREACH: 'there is no network to it',
  EHOSTUNREACH: 'there is no way to the host',
  ETIMEDOUT: 'it does not answer',
};

/** OpenSSL's codes for certificates, as Node gives them: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED = /CERT|UNABLE_TO_|INVALID_CA|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE|HOSTNAME_MISMATCH/;

/** Both ends speak, but not the same: TLS to a port without, or HTTP to a port with. */
const OTHER_PROTOCOL = /^(EPROTO|ERR_SSL_|HPE_)/;

/** Why a request failed, without anything that the request carried. `late`: the time for an answer had run out. */
export function failureOf(error: unknown, url: string, late: boolean): CallFailure {
  const code = codeOf(error);
  if (late) {
    return new CallFailure(
      'service_timeout',
      `The service at ${url} did not answer in time. What was asked for may still happen; look before you ask again.`,
    );
  }
  if (UNTRUSTED.test(code)) {
    return new CallFailure(
      'service_not_trusted',
      `The certificate of ${url} cannot be trusted (${code}); name the file with its authority's certificate in SERVICE_CA_FILE.`,
    );
  }
  if (OTHER_PROTOCOL.test(code)) {
    return new CallFailure(
      'reply_not_understood',
      `${url} does not speak ${url.startsWith('https:') ? 'HTTPS' : 'HTTP'} (${code}); check scheme and port of SERVICE_URL.`,
    );
  }
  return new CallFailure(
    'service_unreachable',
    `The service at ${url} cannot be reached: ${WORDS[code] ?? code}. Try again later.`,
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown fault';
}
