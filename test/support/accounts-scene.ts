import { SimplewebauthnVerifier } from '../../src/adapters/outbound/passkeys/simplewebauthn-verifier.ts';
import { ScryptPasswordHasher } from '../../src/adapters/outbound/system/scrypt-password-hasher.ts';
import { TotpCodes } from '../../src/adapters/outbound/system/totp-codes.ts';
import { ZxcvbnStrength } from '../../src/adapters/outbound/system/zxcvbn-strength.ts';
import { OfferPasswordLink, OfferSetup, TakeUpLink } from '../../src/application/access/account-links.ts';
import { ForgetSignIns } from '../../src/application/access/forget-sign-ins.ts';
import { KnownDevices } from '../../src/application/access/known-devices.ts';
import { ManageUsers } from '../../src/application/access/manage-users.ts';
import { OwnAccount } from '../../src/application/access/own-account.ts';
import { OwnPasskeys } from '../../src/application/access/own-passkeys.ts';
import { PasskeyProofs } from '../../src/application/access/passkey-proofs.ts';
import { PasskeySignIn } from '../../src/application/access/passkey-sign-in.ts';
import { PasswordRules } from '../../src/application/access/password-rules.ts';
import { RecoveryCodes } from '../../src/application/access/recovery-codes.ts';
import { RequireSso } from '../../src/application/access/require-sso.ts';
import { SecondFactor } from '../../src/application/access/second-factor.ts';
import {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  ResumeSession,
  type Visitor,
} from '../../src/application/access/sessions.ts';
import { SignIn } from '../../src/application/access/sign-in.ts';
import { SignInTries } from '../../src/application/access/sign-in-tries.ts';
import { TwoFactorPolicy } from '../../src/application/access/two-factor-policy.ts';
import type { User } from '../../src/domain/access/user.ts';
import { PlainSecretBox } from '../fakes/plain-secret-box.ts';
import { applicationScene } from './application-scene.ts';

export const PASSWORD = 'quilt-harbor-ninety-violin';
export const BROWSER = { address: '203.0.113.7', agent: 'Browser/1.0', device: null };

const strength = new ZxcvbnStrength();

/** The accounts' use cases on one database. Hashes cost next to nothing. */
export function accountsScene(base = applicationScene(), publicUrl: string | null = null) {
  const deps = {
    ...base,
    devices: new KnownDevices(base),
    tries: new SignInTries({ ...base, throttles: base.throttles }),
    hasher: new ScryptPasswordHasher({ logN: 4, r: 8, p: 1 }),
    codes: new TotpCodes(),
    box: new PlainSecretBox(),
    passwordRules: new PasswordRules({ strength }),
    requireSso: new RequireSso(base),
    recoveryCodes: new RecoveryCodes(base),
    passkeyVerifier: new SimplewebauthnVerifier(),
  };
  const offerPasswordLink = new OfferPasswordLink(deps);
  const twoFactorPolicy = new TwoFactorPolicy(deps);
  const twoFactor = twoFactorPolicy;
  const shared = {
    ...deps,
    offerPasswordLink,
    twoFactor,
    twoFactorPolicy,
    secondFactor: new SecondFactor(deps),
    ownAccount: new OwnAccount({ ...deps, twoFactor }),
  };
  const passkeyProofs = new PasskeyProofs({ ...shared, publicUrl });
  const scene = {
    ...shared,
    offerSetup: new OfferSetup(shared),
    takeUpLink: new TakeUpLink(shared),
    manageUsers: new ManageUsers(shared),
    signIn: new SignIn(shared),
    giveCode: new GiveCode(shared),
    confirmPassword: new ConfirmPassword(shared),
    resumeSession: new ResumeSession(shared),
    manageSessions: new ManageSessions(shared),
    ownAccount: shared.ownAccount,
    ownPasskeys: new OwnPasskeys({ ...shared, passkeyProofs }),
    passkeySignIn: new PasskeySignIn({ ...shared, passkeyProofs }),
    forgetSignIns: new ForgetSignIns(shared),
  };
  const setUp = async (name = 'root'): Promise<User> => {
    const offered = await scene.offerSetup.execute();
    if (offered === null) throw new Error('There is an administrator already.');
    return scene.takeUpLink.execute(offered.secret, { name, password: PASSWORD }, BROWSER.address);
  };
  const visit = async (name = 'root'): Promise<Visitor> => {
    const { secret } = await scene.signIn.execute({ name, password: PASSWORD }, BROWSER);
    const visitor = await scene.resumeSession.execute(secret, BROWSER.address, 'counts');
    if (visitor === null) throw new Error('The session is not there.');
    return visitor;
  };
  return { ...scene, setUp, visit };
}

export type AccountsScene = ReturnType<typeof accountsScene>;
