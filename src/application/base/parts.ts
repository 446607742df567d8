import type { EnvironmentProvider } from '../access/sso-providers.ts';
import type { SourceHooks } from '../backups/source-hooks.ts';
import type { EnvironmentWebhook } from '../events/apply-environment-webhook.ts';
import type { LeaseTimes } from '../jobs/claimed-job.ts';
import type { SHARED } from './shared-classes.ts';
import type { Ports } from './use-case.ts';

export type SharedClasses = typeof SHARED;

type Shared = { readonly [Name in keyof SharedClasses]: InstanceType<SharedClasses[Name]> };

/** All that a class of the application can ask for. */
export interface Parts extends Ports, Shared {
  readonly leaseTimes: LeaseTimes;
  readonly environmentWebhook: EnvironmentWebhook | null;
  readonly environmentProvider: EnvironmentProvider | null;
  readonly sourceHooks: SourceHooks;
}

/** A class that is made of such parts, and nothing else. */
export type PartClass<T> = new (parts: Parts) => T;

/** Returns the single instance of a class. Does not compile for a class with an unknown dependency. */
export interface UseCases {
  readonly get: <T>(wanted: PartClass<T>) => T;
}
