// What a file says of itself: title, artist, album, and which of its streams is its artwork.
import * as z from 'zod';
import { pictureLimits } from '../../domain/media/source-limits.ts';
import { shownTitle } from '../../domain/playout/titles.ts';
import type { FileTags } from '../../domain/playout/titles.ts';

/** ffprobe's sections of what is asked for here. Names of tags are found in small and capital letters. */
const tagNames = 'title,artist,album_artist,album';
export const tagEntries = [`format_tags=${tagNames}`, `stream_tags=${tagNames}`].join(':');

export const taggedSchema = z.record(z.string(), z.string()).optional();
type Tagged = z.infer<typeof taggedSchema>;

interface TaggedFile {
  readonly format_name: string;
  readonly tags?: Tagged;
}

interface TaggedStream {
  readonly index: number;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly disposition?: { readonly attached_pic?: number | undefined } | undefined;
  readonly tags?: Tagged;
}

export function fileTagsOf(file: TaggedFile, streams: readonly TaggedStream[]): FileTags {
  // Ogg has tags for its streams alone. Elsewhere those of a stream tell tracks apart: “English, stereo”.
  const found = file.format_name === 'ogg' ? streams.map(({ tags }) => tags) : [file.tags];
  const entries = found.flatMap((tags) => Object.entries(tags ?? {}));
  const tags = new Map(entries.map(([name, text]) => [name.toLowerCase(), text]));
  const shown = (...names: string[]) => {
    const texts = names.map((name) => shownTitle(tags.get(name) ?? ''));
    return texts.find((text) => text !== null) ?? undefined;
  };
  const title = shown('title');
  const artist = shown('artist', 'album_artist');
  const album = shown('album');
  const artwork = streams.find(isArtwork);
  return {
    ...(title !== undefined && { title }),
    ...(artist !== undefined && { artist }),
    ...(album !== undefined && { album }),
    ...(artwork && { artworkStream: artwork.index }),
  };
}

/** A picture that is larger than any other that we decode is none. */
function isArtwork({ disposition, width = 0, height = 0 }: TaggedStream): boolean {
  return disposition?.attached_pic === 1 && width * height > 0 && width * height <= pictureLimits.image.pixels;
}
