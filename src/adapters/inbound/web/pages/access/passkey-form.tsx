import type { ComponentChildren } from 'preact';
import type { PasskeyCreation } from '../../../../../application/access/own-passkeys.ts';
import type { PasskeyRequest } from '../../../../../application/access/passkey-sign-in.ts';
import { CHALLENGE_LIFE, PASSKEY_ALGORITHMS, type Passkey } from '../../../../../domain/access/passkey.ts';
import type { User } from '../../../../../domain/access/user.ts';
import { json, type PageReply } from '../../route.ts';

interface PasskeyFormProps {
  /** Where the answer goes; the challenge is at `/options` below it. */
  readonly action: string;
  readonly label: string;
  /** Beside a form that most users send. */
  readonly quiet?: boolean;
  readonly children?: ComponentChildren;
}

/** A form that a passkey answers: the script of passkeys shows it if the browser supports them. */
export const PasskeyForm = ({ action, label, quiet = false, children }: PasskeyFormProps) => (
  <div data-passkey-part hidden>
    <form method="post" action={action} data-passkey={`${action}/options`} class="column">
      {children}
      <input type="hidden" name="answer" value="" />
      <button type="submit" class={quiet ? 'quiet' : undefined}>
        {label}
      </button>
      <p class="help" role="status" data-passkey-state />
    </form>
  </div>
);

export const withPasskeyScript = (reply: PageReply): PageReply => ({ ...reply, script: 'passkeys' });

const descriptors = (passkeys: readonly Pick<Passkey, 'credentialId' | 'transports'>[]) =>
  passkeys.map(({ credentialId: id, transports }) => ({ type: 'public-key', id, transports }));

/** `PublicKeyCredentialRequestOptions`, with base64url for bytes. */
export const requestOptions = ({ challenge, party, allowed }: PasskeyRequest) =>
  json({
    get: {
      challenge,
      rpId: party.id,
      timeout: CHALLENGE_LIFE,
      userVerification: 'required',
      allowCredentials: descriptors(allowed),
    },
  });

/** `PublicKeyCredentialCreationOptions`, with base64url for bytes. */
export const creationOptions = ({ challenge, party, userHandle, known }: PasskeyCreation, { name }: User) =>
  json({
    create: {
      challenge,
      rp: { id: party.id, name: 'Drover' },
      user: { id: Buffer.from(userHandle).toString('base64url'), name, displayName: name },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CHALLENGE_LIFE,
      attestation: 'none',
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: descriptors(known),
    },
  });
