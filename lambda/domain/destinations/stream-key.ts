// Recognizes texts that users paste as a stream key by mistake.

/** The fault of a stream key, and advice; null for a key without a fault. It never repeats the key. */
export function faultOfStreamKey(key: string): string | null {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(key))
    return 'This is an address. Put only the key here, and the address without the key into rtmpURL.';
  if (/\s/.test(key)) return 'It contains white space, probably from copying. Remove it.';
  return null;
}
