import * as z from 'zod';
import type { FleetHost } from '../fleet/host.ts';
import type { Service } from '../support/service.ts';

const Key = z.object({ public_key: z.string() });
const Added = z.object({ id: z.int(), checked: z.boolean() });

const AUTHORISE = `home=$(eval echo "~$1") && install -d -m 700 -o "$1" -g "$1" "$home/.ssh" &&
printf '%s\\n' "$2" >"$home/.ssh/authorized_keys" && chown "$1:$1" "$home/.ssh/authorized_keys" &&
chmod 600 "$home/.ssh/authorized_keys"`;

/** Puts the line that the service prints into an account of the host, as an operator does, and takes all others out. */
export async function authorise(host: FleetHost, user: string, publicKey: string): Promise<void> {
  await host.exec(AUTHORISE, [user, publicKey]);
}

/** Makes a key, lets it into the host, and takes the host into the fleet; returns the server's id. */
export async function enrol(
  service: Service,
  host: FleetHost,
  name: string,
  { user = 'root', options = [] }: { user?: string; options?: readonly string[] } = {},
): Promise<number> {
  const { public_key } = await service.ask(Key, ['key', 'create', name]);
  await authorise(host, user, public_key);
  const address = ['--host', host.address, '--user', user, '--key', name];
  const trust = ['--host-key', host.hostKey.fingerprint];
  const { id, checked } = await service.ask(Added, ['server', 'add', name, ...address, ...trust, ...options]);
  if (!checked) throw new Error(`${name} was added and not checked`);
  return id;
}
