import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import * as z from 'zod';
import type { PasskeyAnswer, PasskeyVerifier } from '../../../application/ports/access/passkey-verifier.ts';
import { PASSKEY_ALGORITHMS, PasskeyRefusal, type RelyingParty } from '../../../domain/access/passkey.ts';

/** A browser's answer has 1 to 8 KiB. */
const MAX_ANSWER = 65_536;
const MAX_TRANSPORTS = 10;

const base64url = z.string().regex(/^[A-Za-z0-9_-]*$/);
/** WebAuthn allows credential ids of 1,023 bytes. */
const credentialId = base64url.min(1).max(1_364);

const answerSchema = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
  response: z.looseObject({
    clientDataJSON: base64url,
    userHandle: base64url.nullish(),
    transports: z.array(z.string().max(32)).max(MAX_TRANSPORTS).optional(),
  }),
});

const clientDataSchema = z.object({
  challenge: base64url,
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

/** WebAuthn by `@simplewebauthn/server`, which is loaded at the first answer: that takes a while. */
export class SimplewebauthnVerifier implements PasskeyVerifier {
  read(answer: string): PasskeyAnswer {
    const { id, response } = answerOf(answer);
    const { challenge } = clientDataOf(response.clientDataJSON);
    const handle = response.userHandle ?? '';
    return { credentialId: id, challenge, userHandle: handle === '' ? null : textOf(handle) };
  }

  async register(...[answer, expected]: Parameters<PasskeyVerifier['register']>) {
    const given = answerOf(answer);
    requireOrigin(given.response.clientDataJSON, expected.party);
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { verified, registrationInfo } = await refusing(() =>
      verifyRegistrationResponse({
        ...rules(expected),
        response: given as unknown as RegistrationResponseJSON,
        supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
      }),
    );
    if (!verified) throw new PasskeyRefusal('signature_invalid');
    if (!registrationInfo.userVerified) throw new PasskeyRefusal('user_not_verified');
    const { id, publicKey, counter } = registrationInfo.credential;
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: given.response.transports ?? [],
    };
  }

  async verify(...[answer, expected]: Parameters<PasskeyVerifier['verify']>): Promise<number> {
    const given = answerOf(answer);
    requireOrigin(given.response.clientDataJSON, expected.party);
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { credentialId: id, publicKey } = expected.passkey;
    const { verified, authenticationInfo } = await refusing(() =>
      verifyAuthenticationResponse({
        ...rules(expected),
        response: given as unknown as AuthenticationResponseJSON,
        // The use case compares counters: a use in another replica counts, too.
        credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
      }),
    );
    if (!verified) throw new PasskeyRefusal('signature_invalid');
    if (!authenticationInfo.userVerified) throw new PasskeyRefusal('user_not_verified');
    return authenticationInfo.newCounter;
  }
}

/** User verification is checked by the callers, so that its refusal has a separate reason. */
const rules = ({ challenge, party }: { readonly challenge: string; readonly party: RelyingParty }) => ({
  expectedChallenge: challenge,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  requireUserVerification: false,
});

function answerOf(answer: string): z.output<typeof answerSchema> {
  const parsed = answerSchema.safeParse(jsonOf(answer.slice(0, MAX_ANSWER)));
  if (!parsed.success) throw new PasskeyRefusal('answer_invalid', { cause: parsed.error });
  return parsed.data;
}

function clientDataOf(encoded: string): z.output<typeof clientDataSchema> {
  const parsed = clientDataSchema.safeParse(jsonOf(textOf(encoded)));
  if (!parsed.success) throw new PasskeyRefusal('answer_invalid', { cause: parsed.error });
  return parsed.data;
}

const textOf = (encoded: string): string => Buffer.from(encoded, 'base64url').toString('utf8');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Also refuses an answer that was made in a frame of another site. */
function requireOrigin(clientData: string, { origin }: RelyingParty): void {
  const given = clientDataOf(clientData);
  if (given.origin !== origin || given.crossOrigin === true) throw new PasskeyRefusal('origin_differs');
}

/** The library reports everything as an `Error`. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new PasskeyRefusal('signature_invalid', { cause });
  }
}
