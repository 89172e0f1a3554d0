// Reads a file's tags: title, artist, album, and the stream with its artwork.
import * as z from 'zod';
import { pictureLimits } from '../../domain/media/source-limits.ts';
import { shownTitle } from '../../domain/playout/titles.ts';
import type { FileTags } from '../../domain/playout/titles.ts';

/** ffprobe's sections for these tags. Names of tags match in lower and upper case. */
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
  // In Ogg only streams have tags. In other formats the tags of a stream describe a track: “English, stereo”.
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

/** Whether a stream is artwork. A picture larger than any that we decode is ignored. */
function isArtwork({ disposition, width = 0, height = 0 }: TaggedStream): boolean {
  return disposition?.attached_pic === 1 && width * height > 0 && width * height <= pictureLimits.image.pixels;
}
