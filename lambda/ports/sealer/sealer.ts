// Keeps secrets unreadable at rest: what is sealed can only be opened in the place that it was sealed for.
import { decrypt, encrypt } from './authenticated-encryption.ts';

export interface Sealer {
  /** @param place where the secret is kept, such as `destination/ID`; a sealed secret moved elsewhere does not open */
  seal(secret: string, place: string): Buffer;
  /** @throws when the bytes were altered, moved, or sealed with a key that is not here */
  open(sealed: Buffer, place: string): string;
}

/** A key that secrets are sealed with. */
export interface DataKey {
  /** 1 to 255: stands before everything that was sealed with it. */
  readonly id: number;
  /** 32 bytes. */
  readonly key: Buffer;
}

const idBytes = 1;

/**
 * What is sealed: id of the data key (1 byte), then what was encrypted with it.
 * @param dataKeys all there are; the last one seals
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
