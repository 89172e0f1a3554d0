// Binds aggregates to a pool or a client, and builds each when it is first read.
import type { Queryable } from './queryable.ts';

type Builders = Readonly<Record<string, (db: Queryable) => unknown>>;

/** One property for each builder, with the aggregate that it builds. */
export type Aggregates<Built extends Builders> = { readonly [Name in keyof Built]: ReturnType<Built[Name]> };

/**
 * A function that binds these aggregates to a pool or a client. A request reads a few of about 80 aggregates, so
 * each is built at its first read and kept. The properties are getters of a prototype: destructuring finds them, a
 * spread does not.
 */
export function bindingOf<Built extends Builders>(builders: Built): (db: Queryable) => Aggregates<Built> {
  class Bound {
    readonly db: Queryable;
    readonly built = new Map<string, unknown>();
    constructor(db: Queryable) {
      this.db = db;
    }
  }
  for (const [name, build] of Object.entries(builders)) {
    Object.defineProperty(Bound.prototype, name, {
      get(this: Bound) {
        let aggregate = this.built.get(name);
        if (aggregate === undefined) {
          aggregate = build(this.db);
          this.built.set(name, aggregate);
        }
        return aggregate;
      },
    });
  }
  return (db) => new Bound(db) as unknown as Aggregates<Built>;
}
