// Recognizes what people paste as a stream key although it is none.

/** What is wrong with a stream key and what to do about it; null when nothing is wrong. Never repeats the key. */
export function faultOfStreamKey(key: string): string | null {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(key))
    return 'This is an address. Put only the key here, and the address without the key into rtmpURL.';
  if (/\s/.test(key)) return 'It has white space in it, probably from copying. Remove it.';
  return null;
}

/** Whether an address ends with the key already. The publisher adds the key, so the key would be there twice. */
export function endsInStreamKey(rtmpURL: string, key: string): boolean {
  return /^rtmps?:\/\/[^/]+\/+[^/]+\//i.test(rtmpURL) && rtmpURL.replace(/\/+$/, '').endsWith(`/${key}`);
}
