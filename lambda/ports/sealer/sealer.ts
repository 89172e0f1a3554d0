// Sealer of secrets: the database holds them encrypted, each for its place. Decision D13.
import { decrypt, encrypt } from './authenticated-encryption.ts';

export interface Sealer {
  /** @param place place of the secret, such as `destination/ID`, so that a copy elsewhere cannot be opened */
  seal(secret: string, place: string): Buffer;
  /** @throws {Error} if the bytes were changed, or sealed for another place or by an unknown data key */
  open(sealed: Buffer, place: string): string;
}

/** A key that seals secrets. */
export interface DataKey {
  /** 1 to 255. Everything that the key has sealed begins with this byte. */
  readonly id: number;
  /** 32 bytes. */
  readonly key: Buffer;
}

const idBytes = 1;

/**
 * A sealed secret is the id of the data key (1 byte), then the result of `encrypt` with that key.
 * @param dataKeys all data keys; the last one seals
 */
export function createSealer(dataKeys: readonly [...DataKey[], DataKey]): Sealer {
  const newest = dataKeys.at(-1)!;
  return {
    seal: (secret, place) =>
      Buffer.concat([Buffer.from([newest.id]), encrypt(newest.key, Buffer.from(secret, 'utf8'), place)]),
    open(sealed, place) {
      const dataKey = dataKeys.find(({ id }) => id === sealed[0]);
      if (!dataKey) throw new Error('sealed with a data key that is not here');
      return decrypt(dataKey.key, sealed.subarray(idBytes), place).toString('utf8');
    },
  };
}
