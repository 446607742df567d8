import * as z from 'zod';
import type { EngineKind, RegistryAnswer } from '../../../../application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { isDomainError } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { isDigest, isImage } from '../../../../domain/compose/compose-names.ts';
import { registryOf } from '../../../../domain/compose/image-reference.ts';
import { plainText } from '../shell/host-text.ts';
import { askEngine } from './engine-api.ts';
import { RegistryCredentials } from './registry-credentials.ts';

const MAX_REFERENCES = 1_000;
const AT_ONCE = 4;
const ANSWER_WITHIN_MS = 30_000;

const Distribution = z.object({ Descriptor: z.object({ digest: z.string() }) });
const Fault = z.object({ message: z.string() });

/** podman's engine cannot be asked; skopeo, which uses the same settings and credentials, can. */
const SKOPEO = String.raw`export PATH="$PATH:/usr/local/bin:/usr/bin:/bin"
HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME
command -v skopeo >/dev/null || exit 127
exec skopeo inspect --no-tags --format '{{.Digest}}' "docker://$1"`;

/**
 * The registries' digests of these references, through the host's engine: with its proxies, mirrors, certificates and
 * credentials. docker is asked by `GET /distribution/{name}/json`, which returns the digest of the index for images
 * of several architectures, the same that a pull records.
 */
export async function readRegistryDigests(
  host: RemoteHost,
  references: readonly string[],
  { engine, signal }: { engine: EngineKind; signal: AbortSignal },
): Promise<ReadonlyMap<string, RegistryAnswer>> {
  const credentials = new RegistryCredentials(host, signal);
  const waiting = [...new Set(references)].slice(0, MAX_REFERENCES);
  const answers = new Map<string, RegistryAnswer>();
  const ask = async (reference: string): Promise<RegistryAnswer> => {
    if (!isImage(reference)) return unknown('It is not a valid image reference.');
    return engine === 'docker'
      ? await askDocker(host, reference, credentials, signal)
      : await askSkopeo(host, reference, signal);
  };
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      answers.set(next, await ask(next));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

async function askDocker(
  host: RemoteHost,
  reference: string,
  credentials: RegistryCredentials,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const auth = await credentials.headerFor(reference);
  const headers = auth === null ? {} : { 'X-Registry-Auth': auth };
  try {
    const path = `/distribution/${reference}/json`;
    const { status, body } = await askEngine(host, path, { signal, headers, timeoutMs: ANSWER_WITHIN_MS });
    const found = Distribution.safeParse(body);
    if (status === 200 && found.success && isDigest(found.data.Descriptor.digest)) {
      return { digest: found.data.Descriptor.digest };
    }
    const fault = Fault.safeParse(body);
    return unknown(whyNot(status, fault.success ? fault.data.message : '', reference, auth !== null));
  } catch (error) {
    if (isDomainError(error, 'host_timeout')) return unknown(tooSlow(reference));
    throw error;
  }
}

async function askSkopeo(host: RemoteHost, reference: string, signal: AbortSignal): Promise<RegistryAnswer> {
  try {
    const command = { script: SKOPEO, args: [reference], asRoot: true };
    const { exitCode, stdout, stderr } = await host.run(command, { signal, timeoutMs: ANSWER_WITHIN_MS });
    const digest = stdout.toString('latin1').trim();
    if (exitCode === 0 && isDigest(digest)) return { digest };
    if (exitCode === 127) return unknown('Podman cannot query registries; install skopeo on the host.');
    return unknown(whyNot(0, stderr.toString('utf8'), reference, true));
  } catch (error) {
    if (isDomainError(error, 'host_timeout')) return unknown(tooSlow(reference));
    throw error;
  }
}

const unknown = (reason: string): RegistryAnswer => ({ digest: null, reason });
const tooSlow = (reference: string): string =>
  `The registry ${registryOf(reference)} did not answer within ${ANSWER_WITHIN_MS / 1_000} s.`;

function whyNot(status: number, said: string, reference: string, hadCredentials: boolean): string {
  const registry = registryOf(reference);
  if (status === 429 || /toomanyrequests|rate limit/i.test(said)) {
    return `The registry ${registry} limits the request rate; check again later, or log in on the host.`;
  }
  if (
    status === 401 ||
    status === 403 ||
    /unauthorized|denied|no basic auth|authentication required/i.test(said)
  ) {
    return hadCredentials
      ? `The registry ${registry} denies access to the host's account, or there is no such image.`
      : `The registry ${registry} requires credentials, or there is no such image; on the host, run: ${shellCommand`docker login ${registry}`}`;
  }
  if (status === 404 || /manifest unknown|not found/i.test(said)) {
    return `The registry ${registry} has no such image or tag.`;
  }
  // Messages of engines may contain addresses with queries, which may be secret.
  const words = plainText(said.replace(/\?[^\s"]*/g, ''), 300);
  return `The registry ${registry} could not be reached: ${words ?? 'the engine gives no reason'}.`;
}
