import type { Fleet } from './fleet.ts';
import type { FleetHost } from './host.ts';

interface Waiting {
  readonly count: number;
  readonly grant: (hosts: FleetHost[]) => void;
}

export interface Lease {
  readonly hosts: Promise<FleetHost[]>;
  /** Also withdraws a request that was not granted yet. */
  release(): void;
}

/**
 * Lends hosts to test files, each host to one file at a time. A file gets all that it asks for at once, in
 * the order of asking, so that two files can never wait for each other.
 */
export class HostPool {
  readonly #fleet: Fleet;
  readonly #free: FleetHost[];
  readonly #queue: Waiting[] = [];

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#free = [...fleet.hosts];
  }

  lease(count: number): Lease {
    const size = this.#fleet.hosts.length;
    if (count > size) throw new Error(`the fleet of a test run has ${size} hosts, ${count} were asked for`);
    let granted: FleetHost[] = [];
    let waiting: Waiting | undefined;
    const hosts = new Promise<FleetHost[]>((resolve) => {
      waiting = {
        count,
        grant: (given) => {
          granted = given;
          resolve(given);
        },
      };
      this.#queue.push(waiting);
    });
    this.#serve();
    return {
      hosts,
      release: () => {
        const place = waiting ? this.#queue.indexOf(waiting) : -1;
        if (place >= 0) this.#queue.splice(place, 1);
        this.#free.push(...granted.splice(0));
        this.#serve();
      },
    };
  }

  #serve(): void {
    for (let next = this.#queue[0]; next && next.count <= this.#free.length; next = this.#queue[0]) {
      this.#queue.shift();
      next.grant(this.#free.splice(0, next.count));
    }
  }
}
