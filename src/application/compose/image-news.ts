import { type Instant, toIsoOrNull } from '../../domain/base/instant.ts';
import { ago } from '../../domain/base/spans.ts';
import type { ContainerChange } from '../../domain/compose/container-change.ts';
import type { ImageFacts } from '../../domain/compose/image-facts.ts';
import { pulledName } from '../../domain/compose/image-reference.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ContainerEngine } from '../ports/compose/container-engine.ts';
import type { ContainerLook } from './container-look.ts';

/** For a dry run: the age and version of a service's current and new image, as far as they say so. */
export interface ImageNews {
  readonly directory: string;
  readonly service: string;
  readonly from: ImageFacts | null;
  readonly to: ImageFacts | null;
}

/** One entry for each change whose images are known. */
export async function imageNewsOf(
  engine: Pick<ContainerEngine, 'imageFacts'>,
  { signal }: JobContext,
  { host, survey, services }: ContainerLook,
  changes: readonly ContainerChange[],
): Promise<readonly ImageNews[]> {
  const asked = changes.map(({ directory, service, image, to }) => ({
    directory,
    service,
    former: services.find((each) => each.project.directory === directory && each.service.name === service)
      ?.service.imageId,
    next: image !== null && to !== null ? pulledName(image, to) : '',
  }));
  const names = new Set(asked.flatMap(({ former, next }) => [former ?? '', next]).filter(Boolean));
  if (names.size === 0) return [];
  const facts = await engine.imageFacts(host, [...names], { engine: survey.engine, signal });
  return asked.flatMap(({ directory, service, former, next }) => {
    const [from, to] = [facts.get(former ?? '') ?? null, facts.get(next) ?? null];
    return from || to ? [{ directory, service, from, to }] : [];
  });
}

export const imageNewsView = ({ directory, service, from, to }: ImageNews) => ({
  directory,
  service,
  from: viewOf(from),
  to: viewOf(to),
  changelog_url: urlOf({ from, to }),
});

/** `/srv/shop db: 1.0, built 40 d ago -> 1.1, built 3 d ago; changes: https://…` */
export function describeImageNews({ directory, service, from, to }: ImageNews, now: Instant): string {
  const url = urlOf({ from, to });
  const changes = url === null ? '' : `; changes: ${url}`;
  return `${directory} ${service}: ${ageOf(from, now)} -> ${ageOf(to, now)}${changes}`;
}

const viewOf = (facts: ImageFacts | null) => ({
  version: facts?.version ?? null,
  created_at: toIsoOrNull(facts?.createdAt ?? null),
});

const urlOf = ({ from, to }: Pick<ImageNews, 'from' | 'to'>): string | null =>
  to?.changelogUrl ?? from?.changelogUrl ?? null;

function ageOf(facts: ImageFacts | null, now: Instant): string {
  const built = facts?.createdAt ? `built ${ago(facts.createdAt, now)}` : null;
  return [facts?.version, built].filter(Boolean).join(', ') || 'age unknown';
}
