/** `registry/path` of a reference, without tag and digest. */
export function repositoryOf(reference: string): string {
  const [named = ''] = reference.split('@');
  return named.replace(/:[^:/]*$/, '');
}

/** The name by which a digest is pulled. */
export const pulledName = (reference: string, digest: string): string =>
  `${repositoryOf(reference)}@${digest}`;

/** Whether a reference always means the same image. */
export const isPinned = (reference: string): boolean => reference.includes('@');

const HUB = 'docker.io';

/** As registries and credentials know a repository: `nginx` is `docker.io/library/nginx`. */
export function canonicalRepository(reference: string): string {
  const repository = repositoryOf(reference);
  const [first = '', ...rest] = repository.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (isHost) return first === 'index.docker.io' ? [HUB, ...rest].join('/') : repository;
  return rest.length === 0 ? `${HUB}/library/${first}` : `${HUB}/${repository}`;
}

/** All that a short reference leaves out: `nginx` is `docker.io/library/nginx:latest`. podman notes images down like this. */
export function canonicalReference(reference: string): string {
  const suffix = reference.slice(repositoryOf(reference).length);
  return `${canonicalRepository(reference)}${suffix === '' ? ':latest' : suffix}`;
}

export const meanTheSame = (one: string, other: string): boolean =>
  canonicalReference(one) === canonicalReference(other);

/** The registry's host and port. */
export const registryOf = (reference: string): string => canonicalRepository(reference).split('/')[0] ?? HUB;

/** The digests of an image in the repository of a reference: empty if it came from elsewhere. */
export function digestsOf(repoDigests: readonly string[], reference: string): readonly string[] {
  const wanted = canonicalRepository(reference);
  return repoDigests.flatMap((each) => {
    const [, digest] = each.split('@');
    return digest !== undefined && canonicalRepository(each) === wanted ? [digest] : [];
  });
}
