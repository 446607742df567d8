import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { type SsoReason, SsoRefusal } from '../../../domain/access/sso-identity.ts';
import { Unreachable } from './policed-fetch.ts';

/** Answers of a provider that refuses to sign a user in (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const DENIED = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
]);

/** A library's error in Drover's words. */
export function refusalOf(error: unknown): Error {
  if (error instanceof SsoRefusal) return error;
  const unreachable = causes(error).find((each) => each instanceof Unreachable);
  if (unreachable) return refusal('provider_unreachable', unreachable.message, error);
  if (error instanceof AuthorizationResponseError)
    return DENIED.has(error.error)
      ? refusal('denied', `It answered ${error.error}.`, error)
      : refusal('response_invalid', `It answered ${quoted(error.error)}.`, error);
  if (error instanceof ResponseBodyError) return bodyRefusal(error);
  if (error instanceof WWWAuthenticateChallengeError) return refusal('secret_refused', '', error);
  if (error instanceof ClientError) return clientRefusal(error);
  return error instanceof Error ? error : new Error('not an error', { cause: error });
}

function bodyRefusal(error: ResponseBodyError): SsoRefusal {
  if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
    return refusal('secret_refused', `It answered ${error.error}.`, error);
  if (error.error === 'invalid_grant') return refusal('code_refused', '', error);
  return refusal('provider_unusable', `It answered ${quoted(error.error)}.`, error);
}

const BY_CODE: Readonly<Record<string, readonly [SsoReason, string]>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: ['token_invalid', "It has expired, or the provider's clock is wrong."],
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ['token_invalid', 'It is for a different client, user or sign-in.'],
  OAUTH_KEY_SELECTION_FAILED: ['token_invalid', 'It is signed with a key that the provider does not list.'],
  OAUTH_HTTP_REQUEST_FORBIDDEN: ['provider_unusable', 'It uses plain HTTP.'],
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: ['provider_unusable', 'It uses plain HTTP.'],
  OAUTH_MISSING_SERVER_METADATA: ['provider_unusable', 'Its configuration is incomplete.'],
  OAUTH_INVALID_SERVER_METADATA: ['provider_unusable', 'Its configuration is invalid.'],
};

function clientRefusal(error: ClientError): SsoRefusal {
  if (causes(error).some(({ message }) => /auth_time|elapsed since/.test(message)))
    return refusal('not_recent', 'It has to send auth_time for that.', error);
  const known = BY_CODE[error.code ?? ''];
  if (known !== undefined) return refusal(...known, error);
  if (error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const { cause } = error.cause instanceof Error ? error.cause : error;
    const issuer = issuerIn(cause) ?? issuerIn(error.cause);
    return refusal('issuer_differs', issuer === null ? '' : `It calls itself ${quoted(issuer)}.`, error);
  }
  const status = causes(error)
    .map(({ cause }) => cause)
    .find((each) => each instanceof Response)?.status;
  if (status !== undefined) return refusal('provider_unreachable', `It answered ${status}.`, error);
  const isToken = causes(error).some(({ message }) => /JWT|JWS|ID Token|signature|"alg"/i.test(message));
  return isToken ? refusal('token_invalid', '', error) : refusal('response_invalid', '', error);
}

const quoted = (text: string): string => `"${text.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, '?')}"`;

function issuerIn(cause: unknown): string | null {
  if (typeof cause !== 'object' || cause === null || !('body' in cause)) return null;
  const { body } = cause;
  return typeof body === 'object' && body !== null && 'issuer' in body && typeof body.issuer === 'string'
    ? body.issuer
    : null;
}

const refusal = (reason: SsoReason, detail: string, cause: unknown): SsoRefusal =>
  new SsoRefusal(reason, detail, { cause });

/** The error and its causes. */
function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let each = error; each instanceof Error && found.length < 10; each = each.cause) found.push(each);
  return found;
}
