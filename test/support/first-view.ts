import { request } from 'node:http';

/** A reply as it goes over the wire: `fetch` would unpack it. */
export function onTheWire(url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () => resolve(Buffer.concat(parts)));
      reply.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

/** Paths of the files that a browser requests besides the page: each once, however often icons refer to a part. */
export function neededBy(html: string): readonly string[] {
  const named = [...html.matchAll(/(?:src|href)="(\/(?:static\/[^"#]+|manifest\.webmanifest))/g)];
  const paths = new Set(named.map(([, path]) => path ?? ''));
  // Only devices that install the app ask for it.
  return [...paths].filter((path) => !path.includes('icon-192'));
}
