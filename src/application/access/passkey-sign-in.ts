import { PasskeyRefusal } from '../../domain/access/passkey.ts';
import type { User } from '../../domain/access/user.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { KnownDevices } from './known-devices.ts';
import { makeSecret } from './link-secret.ts';
import type { Asked, Challenge, PasskeyProofs } from './passkey-proofs.ts';
import type { RequireSso } from './require-sso.ts';
import { confirmSession, type Visitor } from './sessions.ts';
import { type Browser, openSession, type SignedIn } from './sign-in.ts';
import type { SignInTries } from './sign-in-tries.ts';

interface Deps {
  readonly passkeyProofs: PasskeyProofs;
  readonly devices: KnownDevices;
  readonly tries: Pick<SignInTries, 'clearName'>;
  readonly requireSso: Pick<RequireSso, 'allowsPassword'>;
}

/** A challenge for these passkeys of a user; none: for any that the device has for the site. */
export interface PasskeyRequest extends Challenge {
  readonly allowed: readonly { readonly credentialId: string; readonly transports: readonly string[] }[];
}

/** A browser, and the address of the page as its request has it. */
export interface PasskeyBrowser extends Browser {
  readonly origin: string;
}

/** What a passkey can do: sign in without a password, follow the password, and confirm who uses a session. */
export class PasskeySignIn extends UseCase<
  'sessions' | 'randomness' | 'digest' | 'clock' | 'passkeys.list' | 'users.touch',
  Deps
> {
  /** Whether browsers offer passkeys at this address. */
  isOfferedAt(origin: string): boolean {
    return this.deps.passkeyProofs.isOfferedAt(origin);
  }

  /** `secret` goes into the browser's cookie and nowhere else. Throws `PasskeyRefusal`. */
  async start(origin: string): Promise<{ readonly request: PasskeyRequest; readonly secret: string }> {
    const { passkeyProofs, randomness, digest } = this.deps;
    const { secret, hash } = makeSecret(randomness, digest);
    const asked = await passkeyProofs.ask({ purpose: 'sign_in', boundTo: `browser:${hash}` }, origin);
    return { request: { ...asked, allowed: [] }, secret };
  }

  /**
   * Signs in without a password: having the device and unlocking it are two factors. Throws `sign_in_throttled`,
   * `PasskeyRefusal`.
   */
  async finish(secret: string | null, answer: string, browser: PasskeyBrowser): Promise<SignedIn> {
    const { passkeyProofs, devices, digest, tries } = this.deps;
    const asked = { purpose: 'sign_in', boundTo: `browser:${digest.sha256(secret ?? '')}` } as const;
    const { user, passkey } = await passkeyProofs.prove(answer, asked, browser, null, (owner) =>
      this.#requireLocal(owner),
    );
    const deviceId = await devices.find(user.id, browser.device);
    await tries.clearName(user, deviceId);
    const step = { stage: 'full', deviceId, hasTwoFactors: true, passkey: passkey.id } as const;
    return openSession(user, step, browser, this.deps);
  }

  /** Throws `not_signed_in`, `PasskeyRefusal`. */
  async startCode(visitor: Visitor, origin: string): Promise<PasskeyRequest> {
    requireStage(visitor, 'code');
    return this.#ask(visitor, 'code', origin);
  }

  /** The second step of signing in. Throws `not_signed_in`, `sign_in_throttled`, `PasskeyRefusal`. */
  async finishCode(visitor: Visitor, answer: string, browser: PasskeyBrowser): Promise<SignedIn> {
    requireStage(visitor, 'code');
    const { passkeyProofs, sessions, tries } = this.deps;
    const { user, session } = visitor;
    const { passkey } = await passkeyProofs.prove(answer, askedOf(visitor, 'code'), browser, user);
    const { deviceId, provider } = session;
    await tries.clearName(user, deviceId);
    await sessions.remove(user.id, session.id, {});
    const step = { stage: 'full', deviceId, provider, passkey: passkey.id } as const;
    return openSession(user, step, browser, this.deps);
  }

  /** Throws `not_signed_in`, `PasskeyRefusal`. */
  async startConfirm(visitor: Visitor, origin: string): Promise<PasskeyRequest> {
    requireStage(visitor, 'full');
    return this.#ask(visitor, 'confirm', origin);
  }

  /** In place of the password that is asked for again; returns the session's new secret. Throws `not_signed_in`, `sign_in_throttled`, `PasskeyRefusal`. */
  async finishConfirm(visitor: Visitor, answer: string, browser: PasskeyBrowser): Promise<string> {
    requireStage(visitor, 'full');
    await this.deps.passkeyProofs.prove(answer, askedOf(visitor, 'confirm'), browser, visitor.user);
    return confirmSession(visitor, this.deps);
  }

  async #ask(visitor: Visitor, purpose: 'code' | 'confirm', origin: string): Promise<PasskeyRequest> {
    const asked = await this.deps.passkeyProofs.ask(askedOf(visitor, purpose), origin);
    const all = await this.deps.passkeys.list(visitor.user.id);
    return { ...asked, allowed: all.filter(({ rpId }) => rpId === asked.party.id) };
  }

  /** An account of a provider stays under its control: it may have been closed there. Throws `PasskeyRefusal`. */
  async #requireLocal(user: User): Promise<void> {
    if (user.hasPassword && (await this.deps.requireSso.allowsPassword(user))) return;
    throw new PasskeyRefusal('provider_decides');
  }
}

const askedOf = ({ session }: Visitor, purpose: 'code' | 'confirm'): Asked => ({
  purpose,
  boundTo: `session:${session.id}`,
});

function requireStage({ session }: Visitor, stage: 'code' | 'full'): void {
  if (session.stage !== stage) throw new DomainError('not_signed_in', 'Sign in first.');
}
