import type { Instant } from '../base/instant.ts';

/** What an image says about itself. */
export interface ImageFacts {
  readonly createdAt: Instant | null;
  readonly version: string | null;
  /** A web page about it or its changes. */
  readonly changelogUrl: string | null;
}

const LABEL = 'org.opencontainers.image.';
/** Reproducible builds claim to be older. */
const EARLIEST = Date.UTC(2001);
const MAX_LENGTH = 200;

/** Reads the labels that the OCI image specification defines; `created` is for images without that label. */
export function imageFacts(labels: Readonly<Record<string, string>>, created: string | null): ImageFacts {
  const label = (name: string): string | null => {
    const text = labels[`${LABEL}${name}`] ?? '';
    return text === '' || text.length > MAX_LENGTH || /\p{Cc}/u.test(text) ? null : text;
  };
  const at = Date.parse(label('created') ?? created ?? '');
  const source = webAddress(label('source'));
  return {
    createdAt: at >= EARLIEST ? at : null,
    version: label('version'),
    changelogUrl: (source && releasesOf(source)) ?? webAddress(label('url'))?.href ?? source?.href ?? null,
  };
}

/** Only what a browser may open. */
function webAddress(text: string | null): URL | null {
  const url = text === null ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : null;
}

/** The page of a repository's releases, with those that have one. */
function releasesOf({ hostname, origin, pathname }: URL): string | null {
  const [, owner, name] = pathname.split('/');
  if (!owner || !name) return null;
  const repository = `${origin}/${owner}/${name.endsWith('.git') ? name.slice(0, -4) : name}`;
  if (hostname === 'github.com') return `${repository}/releases`;
  return hostname === 'gitlab.com' ? `${repository}/-/releases` : null;
}
