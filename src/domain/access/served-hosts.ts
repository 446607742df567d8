import { isInAnyCidr } from './client-address.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** They always mean the local machine, so no other site can use one of them. */
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopback = (address: string): boolean => isInAnyCidr(address, LOOPBACK);

export interface ServedHosts {
  /** The names that were set, each with or without a port. */
  readonly allowedHosts: readonly string[];
  readonly publicUrl: string | null;
}

/** Whether a request for `host` (a Host header) is answered that arrived at `localAddress`, one of this machine's. */
export type ServesHost = (host: string, localAddress: string) => boolean;

/**
 * A website can point its own name at any address, and its scripts then reach the service at that address (DNS
 * rebinding). So the service answers only to its own names: the configured ones, that of its public address, and on
 * loopback also the machine's. If none is configured, it answers to any name beyond loopback. A name without a port
 * matches any port: proxies, containers and tunnels publish others.
 */
export function servesHosts({ allowedHosts, publicUrl }: ServedHosts): ServesHost {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  if (publicUrl !== null) allowed.add(new URL(publicUrl).hostname);
  const serves: ServesHost = (host, localAddress) => {
    const asked = host.toLowerCase();
    const name = asked.replace(/:\d+$/, '');
    if (allowed.has(asked) || allowed.has(name)) return true;
    return isLoopback(localAddress) ? LOOPBACK_NAMES.has(name) : allowed.size === 0;
  };
  // Nearly all requests come by the same name to the same address.
  let last = { host: '', localAddress: '', isServed: serves('', '') };
  return (host, localAddress) => {
    if (host !== last.host || localAddress !== last.localAddress)
      last = { host, localAddress, isServed: serves(host, localAddress) };
    return last.isServed;
  };
}
