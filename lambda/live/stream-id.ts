// The stream id of an SRT caller: the key by itself, below the application, or in the form for access control.

/** The wish of a caller, or the fault of its stream id. */
export type StreamID = { readonly key: string } | { readonly fault: 'badStreamID' | 'wrongMode' };

/** The form for access control begins with this: pairs of a name and a value follow (SRT Access Control Guidelines). */
const pairsStart = '#!::';
/** The address of an input shows the application, as for RTMP; some encoders keep it in front of the key. */
const application = /^\/?live\//;

/** Reads `KEY`, `live/KEY`, or `#!::r=KEY,m=publish`; a mode that is not named is taken for `publish`. */
export function parseStreamID(text: string): StreamID {
  if (!text.startsWith('#!')) return { key: keyOf(text) };
  if (!text.startsWith(pairsStart)) return { fault: 'badStreamID' };
  const pairs = new Map(
    text
      .slice(pairsStart.length)
      .split(',')
      .map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]),
  );
  const key = keyOf(pairs.get('r') ?? '');
  if (key === '') return { fault: 'badStreamID' };
  const isPublishing = (pairs.get('m') ?? 'publish') === 'publish' && (pairs.get('t') ?? 'stream') === 'stream';
  return isPublishing ? { key } : { fault: 'wrongMode' };
}

function keyOf(resource: string): string {
  return resource.replace(application, '').replace(/\?.*$/s, '');
}
