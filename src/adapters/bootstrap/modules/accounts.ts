import type { Container } from 'inversify';
import { OfferPasswordLink, OfferSetup, TakeUpLink } from '../../../application/access/account-links.ts';
import { ForgetSignIns } from '../../../application/access/forget-sign-ins.ts';
import { KnownDevices } from '../../../application/access/known-devices.ts';
import { ManageUsers } from '../../../application/access/manage-users.ts';
import { OwnAccount } from '../../../application/access/own-account.ts';
import { PasswordRules } from '../../../application/access/password-rules.ts';
import { SecondFactor } from '../../../application/access/second-factor.ts';
import {
  ConfirmPassword,
  GiveCode,
  ManageSessions,
  ResumeSession,
} from '../../../application/access/sessions.ts';
import { SignIn } from '../../../application/access/sign-in.ts';
import { SignInTries } from '../../../application/access/sign-in-tries.ts';
import { TwoFactorPolicy } from '../../../application/access/two-factor-policy.ts';
import { ScryptPasswordHasher } from '../../outbound/system/scrypt-password-hasher.ts';
import { TotpCodes } from '../../outbound/system/totp-codes.ts';
import { ZxcvbnStrength } from '../../outbound/system/zxcvbn-strength.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES } from '../tokens.ts';

const { users, sessions, deviceStore, throttles, hasher, strength, codes } = PORTS;
const { audit, settings, box, randomness, digest, clock } = PORTS;
const { passwordRules: rules, secondFactor, devices, tries } = SHARED;
const { twoFactorPolicy: twoFactor } = USE_CASES;

/** People: their accounts, their sessions, and how they come to them. */
export function bindAccounts(container: Container): void {
  container.bind(hasher).toConstantValue(new ScryptPasswordHasher());
  container.bind(strength).toConstantValue(new ZxcvbnStrength());
  container.bind(codes).toConstantValue(new TotpCodes());
  bindClass(container, rules, PasswordRules, { strength });
  bindClass(container, secondFactor, SecondFactor, { users, codes, box, digest, clock });
  bindClass(container, devices, KnownDevices, { devices: deviceStore, randomness, digest, clock });
  bindClass(container, tries, SignInTries, { throttles, settings, audit, randomness, digest, clock });
  bindClass(container, twoFactor, TwoFactorPolicy, { settings, users, clock });
  bindClass(container, USE_CASES.offerSetup, OfferSetup, { users, randomness, digest, clock });
  bindClass(container, USE_CASES.offerPasswordLink, OfferPasswordLink, { users, randomness, digest, clock });
  bindClass(container, USE_CASES.takeUpLink, TakeUpLink, {
    users,
    sessions,
    deviceStore,
    tries,
    rules,
    hasher,
    digest,
    clock,
  });
  bindClass(container, USE_CASES.manageUsers, ManageUsers, {
    users,
    sessions,
    deviceStore,
    tries,
    subscriptions: PORTS.subscriptions,
    links: USE_CASES.offerPasswordLink,
    twoFactor,
    clock,
  });
  bindClass(container, USE_CASES.forgetSignIns, ForgetSignIns, { sessions, deviceStore, throttles, clock });
  bindSessions(container);
}

function bindSessions(container: Container): void {
  const signing = { users, sessions, devices, tries, hasher, randomness, digest, clock };
  bindClass(container, USE_CASES.signIn, SignIn, signing);
  bindClass(container, USE_CASES.giveCode, GiveCode, { ...signing, secondFactor });
  bindClass(container, USE_CASES.confirmPassword, ConfirmPassword, { ...signing, secondFactor });
  bindClass(container, USE_CASES.resumeSession, ResumeSession, { sessions, twoFactor, digest, clock });
  bindClass(container, USE_CASES.manageSessions, ManageSessions, { sessions, deviceStore, clock });
  bindClass(container, USE_CASES.ownAccount, OwnAccount, {
    users,
    sessions,
    deviceStore,
    twoFactor,
    rules,
    hasher,
    codes,
    box,
    randomness,
    digest,
    clock,
  });
}
