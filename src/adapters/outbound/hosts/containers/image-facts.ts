import * as z from 'zod';
import type { EngineKind } from '../../../../application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { isDigest, isImage } from '../../../../domain/compose/compose-names.ts';
import { type ImageFacts, imageFacts } from '../../../../domain/compose/image-facts.ts';
import { hostJson } from '../shell/host-lines.ts';

const MAX_IMAGES = 50;
const MAX_BYTES = 128 * 1024;

/** "$1": the engine; then ids of local images, and names with digests. One line each: JSON, or nothing. */
const FACTS = String.raw`export PATH="$PATH:/usr/local/bin:/usr/bin:/bin"
HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME
engine=$1
shift
for image in "$@"; do
  case $image in
    sha256:*) timeout 20 "$engine" image inspect --format '{"Created":{{json .Created}},"Labels":{{with .Config}}{{json .Labels}}{{else}}null{{end}}}' "$image" ;;
    # Engines regard a registry on the host itself as trusted, too.
    localhost[:/]* | 127.*) timeout 20 skopeo inspect --no-tags --tls-verify=false "docker://$image" ;;
    *) timeout 20 skopeo inspect --no-tags "docker://$image" ;;
  esac </dev/null 2>/dev/null | tr -d '\n' | head -c ${MAX_BYTES}
  echo
done`;

const Printed = z.object({
  Created: z.string().nullish(),
  Labels: z.record(z.string(), z.string()).nullish(),
});

/** By the engine and, for images in registries, by skopeo: engines read those only when they pull. */
export async function readImageFacts(
  host: RemoteHost,
  images: readonly string[],
  { engine, signal }: { engine: EngineKind; signal: AbortSignal },
): Promise<ReadonlyMap<string, ImageFacts>> {
  const asked = images.filter((each) => isDigest(each) || isImage(each)).slice(0, MAX_IMAGES);
  const limits = { signal, timeoutMs: 600_000, maxOutputBytes: MAX_IMAGES * (MAX_BYTES + 1) };
  const { stdout } = await host.run({ script: FACTS, args: [engine, ...asked], asRoot: true }, limits);
  const lines = stdout.toString('utf8').split('\n');
  return new Map(
    asked.flatMap((image, index) => {
      const read = Printed.safeParse(hostJson(lines[index] ?? '', MAX_BYTES));
      return read.success ? [[image, imageFacts(read.data.Labels ?? {}, read.data.Created ?? null)]] : [];
    }),
  );
}
