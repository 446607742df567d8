import {
  exclusionOf,
  type HoldTerms,
  heldBack,
  type PatchPolicy,
} from '../../domain/automation/patch-policy.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { type Instant, toIsoOrNull } from '../../domain/base/instant.ts';
import { pulledName } from '../../domain/compose/image-reference.ts';
import type { ImageVerdict } from '../../domain/compose/image-update.ts';
import type { Inventory, LatestImage } from '../../domain/fleet/inventory.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { ContainerEngine } from '../ports/compose/container-engine.ts';
import type { ContainerLook, ServiceLook } from './container-look.ts';

/** By digest. */
type Ages = ReadonlyMap<string, Instant>;

/**
 * Since when the newer images exist: when they were built, by their own word, else since Drover first saw their digests.
 * Only those that the previous inventory lacks are asked about; `isNew`: there are such ones.
 */
export async function imageAges(
  { engine, clock }: { readonly engine: Pick<ContainerEngine, 'imageFacts'>; readonly clock: Clock },
  { signal, progress }: Pick<JobContext, 'signal' | 'progress'>,
  { host, survey, containers }: ContainerLook,
  former: Inventory | null,
): Promise<{ readonly ages: Ages; readonly isNew: boolean }> {
  const ages = new Map<string, Instant>();
  for (const { latest } of former?.containers ?? []) if (latest) ages.set(latest.digest, latest.since);
  const unknown = new Map<string, string>();
  for (const { container, verdict } of containers) {
    const { update, to } = verdict;
    if (update === true && to !== null && !ages.has(to)) unknown.set(to, pulledName(container.image, to));
  }
  if (unknown.size === 0) return { ages, isNew: false };
  progress('Reading the ages of images', null);
  const facts = await engine
    .imageFacts(host, [...unknown.values()], { engine: survey.engine, signal })
    .catch((error: unknown) => {
      // Their ages then count from now.
      if (isDomainError(error, 'host_timeout')) return null;
      throw error;
    });
  const now = clock.now();
  for (const [digest, name] of unknown) ages.set(digest, Math.min(facts?.get(name)?.createdAt ?? now, now));
  return { ages, isNew: true };
}

/** The newer image by a verdict, for the inventory. */
export function latestOf({ update, to }: ImageVerdict, ages: Ages): LatestImage | undefined {
  const since = update === true && to !== null ? ages.get(to) : undefined;
  return to === null || since === undefined ? undefined : { digest: to, since };
}

export interface HeldImage {
  /** One sentence. */
  readonly reason: string;
  /** When the reason is gone, in ISO 8601; `null`: it is not known. */
  readonly until: string | null;
}

/** Why a policy leaves a service's image as it is; `null` if it does not. */
export function heldImage(
  policy: PatchPolicy,
  { service, verdict }: ServiceLook,
  ages: Ages,
  terms: HoldTerms,
): HeldImage | null {
  const image = { kind: 'image', name: service.image } as const;
  if (verdict.update !== true || verdict.to === null) {
    const reason = exclusionOf(policy, image, terms.at);
    return reason === null ? null : { reason, until: null };
  }
  const held = heldBack(policy, { ...image, security: false, since: ages.get(verdict.to) ?? null }, terms);
  return held && { reason: held.reason, until: toIsoOrNull(held.until) };
}

/** By directory and service. */
export type HeldImages = ReadonlyMap<string, HeldImage>;

/** Those that a dry run held back, by its result: a job that applies its plan holds them too, whatever their age is now. */
export function heldImagesOf(leftAlone: unknown): HeldImages {
  const rows = Array.isArray(leftAlone) ? leftAlone.filter(isHeld) : [];
  return new Map(rows.map((row) => [`${row.directory} ${row.service}`, row]));
}

const isHeld = (row: unknown): row is HeldImage & { readonly directory: string; readonly service: string } =>
  typeof row === 'object' && row !== null && 'until' in row && 'directory' in row && 'service' in row;
