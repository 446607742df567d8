import * as z from 'zod';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { withoutEnd } from '../../../../domain/base/without-end.ts';
import { registryOf } from '../../../../domain/compose/image-reference.ts';
import { hostJson } from '../shell/host-lines.ts';

/** The account's own settings of docker: what `docker login` wrote on the host. */
const READ_CONFIG = String.raw`HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
file=${'$'}{DOCKER_CONFIG:-$HOME/.docker}/config.json
[ ! -f "$file" ] || head -c 200000 "$file"`;

/** "$1": the helper's name; the registry comes on standard input. */
const ASK_HELPER = String.raw`export PATH="$PATH:/usr/local/bin:/usr/bin:/bin"
HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
export HOME
exec "docker-credential-$1" get`;

const HELPER = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,60}$/;
const HUB = 'docker.io';
/** The name by which docker keeps the credentials of its hub. */
const HUB_ADDRESS = 'https://index.docker.io/v1/';

const Config = z.object({
  auths: z
    .record(z.string(), z.object({ auth: z.string().optional(), identitytoken: z.string().optional() }))
    .nullish(),
  credHelpers: z.record(z.string(), z.string()).nullish(),
  credsStore: z.string().nullish(),
});
const HelperAnswer = z.object({ Username: z.string(), Secret: z.string() });

/**
 * The credentials that a host has for registries. They are read when they are needed, are held in memory for one check, and
 * go back to the same host, in a header that its engine takes; never to a log, an argument or a disk.
 */
export class RegistryCredentials {
  readonly #host: RemoteHost;
  readonly #signal: AbortSignal;
  #config: Promise<z.infer<typeof Config>> | null = null;
  readonly #headers = new Map<string, Promise<string | null>>();

  constructor(host: RemoteHost, signal: AbortSignal) {
    this.#host = host;
    this.#signal = signal;
  }

  /** The value of `X-Registry-Auth` for an image; `null` if the host has no credentials for its registry. */
  headerFor(reference: string): Promise<string | null> {
    const registry = registryOf(reference);
    const known = this.#headers.get(registry) ?? this.#headerOf(registry);
    this.#headers.set(registry, known);
    return known;
  }

  async #headerOf(registry: string): Promise<string | null> {
    this.#config ??= this.#read();
    const { auths, credHelpers, credsStore } = await this.#config;
    const address = registry === HUB ? HUB_ADDRESS : registry;
    const helper = credHelpers?.[registry] ?? credsStore;
    if (helper) {
      const answer = await this.#ask(helper, address);
      if (answer) return headerOf(answer.Username, answer.Secret, address);
    }
    const [, found] = Object.entries(auths ?? {}).find(([key]) => hostOf(key) === registry) ?? [];
    if (found?.identitytoken) return encoded({ identitytoken: found.identitytoken, serveraddress: address });
    if (!found?.auth) return null;
    const pair = withoutEnd(Buffer.from(found.auth, 'base64').toString('utf8'), '\0');
    const colon = pair.indexOf(':');
    return colon < 0 ? null : headerOf(pair.slice(0, colon), pair.slice(colon + 1), address);
  }

  async #read(): Promise<z.infer<typeof Config>> {
    const { stdout } = await this.#host.run({ script: READ_CONFIG, asRoot: true }, { signal: this.#signal });
    const read = Config.safeParse(fromJson(stdout.toString('utf8')));
    return read.success ? read.data : {};
  }

  async #ask(helper: string, address: string): Promise<z.infer<typeof HelperAnswer> | null> {
    if (!HELPER.test(helper)) return null;
    const command = { script: ASK_HELPER, args: [helper], stdin: address, asRoot: true };
    const { exitCode, stdout } = await this.#host.run(command, { signal: this.#signal });
    const answer = HelperAnswer.safeParse(exitCode === 0 ? fromJson(stdout.toString('utf8')) : null);
    return answer.success ? answer.data : null;
  }
}

/** Helpers give an identity token under this name. */
const headerOf = (username: string, secret: string, serveraddress: string): string =>
  username === '<token>'
    ? encoded({ identitytoken: secret, serveraddress })
    : encoded({ username, password: secret, serveraddress });

const encoded = (auth: object): string => Buffer.from(JSON.stringify(auth)).toString('base64url');

/** Keys are addresses with or without a scheme and a path. */
function hostOf(key: string): string {
  const host = key.replace(/^https?:\/\//, '').split('/')[0] ?? '';
  return host === 'index.docker.io' ? HUB : host;
}

const fromJson = (text: string): unknown => hostJson(text, MAX_CONFIG);
/** In characters: the limit for one command. */
const MAX_CONFIG = 1024 * 1024;
