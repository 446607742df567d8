import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { MysqlHost } from './mysql-url.ts';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
type Resolve = (name: string, options: LookupOptions & { all: true }, answer: Answer) => void;

/**
 * Looks up names of nodes, each one at a time, however many callers there are. Node does lookups in the same few
 * threads as file reads: unanswered lookups, such as for nodes that are switched off, would soon occupy all of them,
 * and no other node would be found.
 */
export class NodeLookup {
  readonly #resolve: Resolve;
  readonly #pending = new Map<string, Answer[]>();

  constructor(resolve: Resolve = lookup) {
    this.#resolve = resolve;
  }

  /** Opens a connection to a node. */
  connect({ host, port }: MysqlHost): Socket {
    const lookupName: LookupFunction = (name, { all }, done) => {
      this.#find(name, (error, addresses) => {
        const [first] = addresses;
        if (all || error || !first) done(error, addresses);
        else done(null, first.address, first.family);
      });
    };
    return connect({ host, port, lookup: lookupName, keepAlive: true, noDelay: true });
  }

  #find(name: string, answer: Answer): void {
    const asking = this.#pending.get(name);
    if (asking) {
      asking.push(answer);
      return;
    }
    const waiting = [answer];
    this.#pending.set(name, waiting);
    this.#resolve(name, { all: true }, (error, addresses) => {
      this.#pending.delete(name);
      for (const each of waiting) each(error, error ? [] : addresses);
    });
  }
}
