import { type LookupAddress, type LookupOptions, promises } from 'node:dns';
import { isIpLiteral, outboundFault } from '../../../domain/events/outbound-address.ts';

/** All addresses of a host name, as the system knows them. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) => promises.lookup(host, { all: true, verbatim: true });

/** A place that the service does not connect to; its message is fit for the log of deliveries. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
export type Lookup = (host: string, options: LookupOptions, callback: Callback) => Promise<void>;

/**
 * A `lookup` for connections that returns only allowed addresses, and none if any address of a name is not allowed.
 * The connection uses exactly its result: a later change of the name does not matter.
 */
export function guardedLookup(resolve: Resolve, allowPrivate: boolean): Lookup {
  const answer = async (host: string, options: LookupOptions): Promise<Parameters<Callback>> => {
    try {
      const found = await allowedAddresses(host, resolve, allowPrivate);
      const wanted = found.filter(({ family }) => !options.family || family === options.family);
      const [first] = wanted;
      if (first === undefined) throw new AddressRefused(`${host} has no address.`);
      return options.all ? [null, wanted] : [null, first.address, first.family];
    } catch (error) {
      return [error as Error, ''];
    }
  };
  return async (host, options, callback) => callback(...(await answer(host, options)));
}

/** Throws `AddressRefused` if any address of a name is not allowed. */
export async function allowedAddresses(
  host: string,
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<LookupAddress[]> {
  const found = await resolve(host);
  for (const { address } of found) refuse(address, `${host} resolves to ${address}, which`, allowPrivate);
  return [...found];
}

/** The address of a host, which may be written as one. Throws `AddressRefused`. */
export async function allowedAddress(host: string, resolve: Resolve, allowPrivate: boolean): Promise<string> {
  if (isIpLiteral(host)) {
    refuseLiteral(host, allowPrivate);
    return host;
  }
  const [first] = await allowedAddresses(host, resolve, allowPrivate);
  if (first === undefined) throw new AddressRefused(`${host} has no address.`);
  return first.address;
}

/** For hosts that are written as addresses: nothing is looked up for those. Throws `AddressRefused`. */
export function refuseLiteral(host: string, allowPrivate: boolean): void {
  if (isIpLiteral(host)) refuse(host, host, allowPrivate);
}

function refuse(address: string, subject: string, allowPrivate: boolean): void {
  const fault = outboundFault(address, { allowPrivate });
  if (fault !== null) throw new AddressRefused(`${subject} ${fault}.`);
}
