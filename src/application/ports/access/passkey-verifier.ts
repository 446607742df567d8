import type { NewPasskey, RelyingParty } from '../../../domain/access/passkey.ts';

/** A browser's answer, read but not yet checked. */
export interface PasskeyAnswer {
  readonly credentialId: string;
  /** The challenge that it claims to answer. */
  readonly challenge: string;
  /** The name of the user that was registered with it; null if the authenticator does not say. */
  readonly userHandle: string | null;
}

/** Checks what browsers answer to challenges (WebAuthn Level 3, sections 7.1 and 7.2). */
export interface PasskeyVerifier {
  /** Throws `PasskeyRefusal` if it is malformed. */
  read(answer: string): PasskeyAnswer;
  /** The new passkey. Throws `PasskeyRefusal`; the user must have been verified. */
  register(
    answer: string,
    expected: { readonly challenge: string; readonly party: RelyingParty },
  ): Promise<Pick<NewPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>>;
  /** The passkey's counter. Throws `PasskeyRefusal`; the user must have been verified. */
  verify(
    answer: string,
    expected: {
      readonly challenge: string;
      readonly party: RelyingParty;
      readonly passkey: Pick<NewPasskey, 'credentialId' | 'publicKey'>;
    },
  ): Promise<number>;
}
