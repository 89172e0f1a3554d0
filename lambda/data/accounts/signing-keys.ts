// SQL of the keys that sign tokens.
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface SigningKey {
  readonly id: string;
  /** JSON Web Key (RFC 7517) of an ES256 key, without id and algorithm. */
  readonly public_jwk: { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };
  readonly sealed_private_jwk: Buffer;
  readonly signs_from: Date;
}

export function signingKeys(db: Queryable) {
  return {
    /** The keys that verify tokens, with those that do not sign yet or no longer sign. */
    listed: () =>
      all<SigningKey>(
        db,
        `select id, public_jwk, sealed_private_jwk, signs_from from signing_keys
         where published_until is null or published_until > now()`,
      ),

    /** Makes the first key, unless a key exists. */
    insertFirst: (key: Omit<SigningKey, 'signs_from'>) =>
      db.query(
        `with lock as materialized (select pg_advisory_xact_lock(hashtext('signing_keys')))
         insert into signing_keys (id, public_jwk, sealed_private_jwk, signs_from)
         select $1, $2, $3, now() from lock where not exists (select from signing_keys)`,
        [key.id, JSON.stringify(key.public_jwk), key.sealed_private_jwk],
      ),

    /**
     * Makes the next key. It is listed at once and signs after `listedBeforeSeconds`; the former keys stay listed for
     * `listedAfterSeconds` longer. It is one statement, so that both times count from the same instant.
     * @returns when the key begins to sign
     */
    insertNext: async (
      key: Omit<SigningKey, 'signs_from'>,
      { listedBeforeSeconds, listedAfterSeconds }: { listedBeforeSeconds: number; listedAfterSeconds: number },
    ) =>
      (
        await all<{ signs_from: Date }>(
          db,
          `with next as (
             insert into signing_keys (id, public_jwk, sealed_private_jwk, signs_from)
             values ($1, $2, $3, now() + make_interval(secs => $4)) returning signs_from
           ), former as (
             update signing_keys set published_until = next.signs_from + make_interval(secs => $5)
             from next where published_until is null
           )
           select signs_from from next`,
          [key.id, JSON.stringify(key.public_jwk), key.sealed_private_jwk, listedBeforeSeconds, listedAfterSeconds],
        )
      )[0]!.signs_from,
  };
}
