// Makes the parts of runs as workers would, from files by the names of their contents.
import { joinKey } from '../../../lambda/domain/media/object-keys.ts';
import type { PlacedPart } from '../../../lambda/domain/playout/composition-parts.ts';
import type { FileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { DrawingFiles } from '../../../lambda/publisher/drawing/layer-overlays.ts';
import type { EncoderSettings } from '../../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { preparePart } from '../../../lambda/publisher/preparing/prepare-part.ts';
import { fastEncoder } from '../../support/media-samples.ts';

export interface PartMaking {
  readonly tools: MediaTools;
  readonly objects: Pick<FileObjectStore, 'write'>;
  readonly pathOf: (contentHash: string) => string;
  readonly encoder?: EncoderSettings;
  readonly logoPath?: string;
  readonly captions?: string;
  /** The first sending time of the parts, in seconds of the run; undefined: 0. */
  readonly fromSeconds?: number;
}

/** Makes the missing parts, and adds them to `made`. @returns the keys of their objects */
export async function makeParts(
  parts: Iterable<PlacedPart>,
  { tools, objects, pathOf, encoder = fastEncoder, logoPath, captions, fromSeconds = 0 }: PartMaking,
  made: Map<string, number>,
): Promise<string[]> {
  const drawings: DrawingFiles = { logoURL: async () => logoPath!, captionsOf: async () => captions ?? null };
  const keys: string[] = [];
  for (const { name, part } of parts) {
    if (made.has(name)) continue;
    const request = { part, urlOf: pathOf, encoder, drawings };
    const bytes = await preparePart(tools, request, new AbortController().signal);
    await objects.write(joinKey(name), bytes, { contentType: 'application/octet-stream' });
    made.set(name, fromSeconds);
    keys.push(joinKey(name));
  }
  return keys;
}
