interface Waiting<Host> {
  readonly count: number;
  readonly grant: (hosts: Host[]) => void;
}

export interface Lease<Host> {
  readonly hosts: Promise<readonly Host[]>;
  /** Also withdraws a request that was not granted yet. */
  release(): void;
}

/**
 * Lends hosts to test files, each host to one file at a time. A file gets all requested hosts together, in the order
 * of requests, so that two files can never wait for each other.
 */
export class HostPool<Host> {
  readonly #size: number;
  readonly #free: Host[];
  readonly #queue: Waiting<Host>[] = [];

  constructor(hosts: readonly Host[]) {
    this.#size = hosts.length;
    this.#free = [...hosts];
  }

  lease(count: number): Lease<Host> {
    if (count > this.#size) {
      throw new Error(`the fleet of a test run has ${this.#size} hosts, and ${count} were asked for`);
    }
    let granted: Host[] = [];
    let waiting: Waiting<Host> | undefined;
    const hosts = new Promise<Host[]>((resolve) => {
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
