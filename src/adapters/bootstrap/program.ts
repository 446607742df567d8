import { Container } from 'inversify';
import type { PartClass, Parts, SharedClasses, UseCases } from '../../application/base/parts.ts';
import type { ProcessMetrics } from '../inbound/metrics/process-metrics.ts';
import type { ServicePlaces } from '../outbound/hosts/protection/service-places.ts';
import type { HttpPoster } from '../outbound/notifications/http-poster.ts';
import type { Database } from '../outbound/storage/sql/database.ts';

/** All parts, with those that only adapters ask for. */
export interface AllParts extends Parts {
  readonly database: Database;
  readonly poster: HttpPoster;
  readonly places: ServicePlaces;
  readonly processMetrics: ProcessMetrics;
}

/** Makes each part when it is first asked for. */
export type Makers<Name extends keyof AllParts = Exclude<keyof AllParts, keyof SharedClasses>> = {
  readonly [Each in Name]: (parts: AllParts) => AllParts[Each];
};

/**
 * Creates classes of the application on first use: each is its own identifier in the container, and takes its
 * dependencies from the parts. Ports are registered by name.
 */
export class Program implements UseCases {
  readonly parts: AllParts;
  readonly #container = new Container({ defaultScope: 'Singleton' });

  /** `shared`: the classes that others may ask for. A command that only reads does without most. */
  constructor(makers: Makers, shared: Partial<SharedClasses>) {
    const classes = Object.entries<PartClass<unknown>>(shared);
    for (const [name, make] of Object.entries<(parts: AllParts) => unknown>(makers))
      this.#container.bind(name).toDynamicValue(() => make(this.parts));
    for (const [name, wanted] of classes) {
      if (!(name in makers)) this.#container.bind(name).toDynamicValue(() => this.get(wanted));
    }
    const names = new Set([...Object.keys(makers), ...Object.keys(shared)]);
    this.parts = Object.defineProperties(
      {},
      Object.fromEntries([...names].map((name) => [name, this.#once(name)])),
    ) as AllParts;
  }

  get<T>(wanted: PartClass<T>): T {
    if (!this.#container.isBound(wanted))
      this.#container.bind(wanted).toDynamicValue(() => new wanted(this.parts));
    return this.#container.get(wanted);
  }

  /** Whether something asked for it yet. */
  has(name: keyof AllParts): boolean {
    const found = Object.getOwnPropertyDescriptor(this.parts, name);
    return found !== undefined && found.get === undefined;
  }

  /** A property that asks the container once. */
  #once(name: string): PropertyDescriptor {
    const get = (): unknown => {
      const value = this.#container.get(name);
      Object.defineProperty(this.parts, name, { value, enumerable: true });
      return value;
    };
    return { get, configurable: true, enumerable: true };
  }
}

type Instances<Classes extends Record<string, PartClass<unknown>>> = {
  readonly [Name in keyof Classes]: InstanceType<Classes[Name]>;
};

/** Resolves several as one object. */
export const gather = <Classes extends Record<string, PartClass<unknown>>>(
  useCases: UseCases,
  classes: Classes,
): Instances<Classes> =>
  Object.fromEntries(
    Object.entries(classes).map(([name, wanted]) => [name, useCases.get(wanted)]),
  ) as Instances<Classes>;
