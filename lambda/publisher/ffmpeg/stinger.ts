// The ffmpeg arguments that read a stinger. Its pictures fill the frame and keep their transparency.
import { alphaDecoderOf } from '../../domain/shared/source-reading.ts';
import { framingFilters } from './framing.ts';
import { inputArguments, picturesIn } from './input-arguments.ts';
import type { ReadLayer, ReadPictures } from './layered-pictures.ts';
import { toPictures } from './overlays.ts';
import type { InputPlace } from './overlays.ts';
import type { Profile } from './profile.ts';
import { toneMappingFilters } from './tone-mapping.ts';

export interface StingerRequest extends Pick<ReadLayer, 'sourceURL' | 'videoCodec' | 'dynamicRange' | 'reading'> {
  readonly profile: Profile;
  readonly background: boolean;
}

/** The arguments that read a stinger, and the filters that return its pictures, which fill the frame. */
export function stingerArguments(
  { sourceURL, videoCodec, dynamicRange = 'sdr', reading, profile, background }: StingerRequest,
  { first, sheet }: InputPlace,
): ReadPictures {
  // Uploads from before the probe looked for transparency have only their codec as a sign of it.
  const withAlpha = { ...reading, alpha: alphaDecoderOf(videoCodec ?? '') };
  const options = { kind: 'video', pictures: dynamicRange, reading: withAlpha, startSeconds: 0, background } as const;
  const { cut, size } = framingFilters('crop', profile);
  // Scaled with premultiplied alpha, so that transparent pixels do not colour the edges.
  const asLight = ['format=gbrap', 'premultiply=inplace=1', `scale=${size}`, 'unpremultiply=inplace=1'];
  const toneMapping = toneMappingFilters(dynamicRange);
  // Videos of a higher dynamic range have no transparency.
  const fit = toneMapping.length > 0 ? [`scale=${size}`, ...toneMapping] : asLight;
  const onGrid = ['setpts=PTS-STARTPTS', `fps=${profile.framesPerSecond}`];
  return {
    input: inputArguments(sourceURL, options),
    filters: [`[${picturesIn(first, reading)}]${[...onGrid, ...cut, ...fit, toPictures, 'setsar=1'].join(',')}`],
    next: { first: first + 1, sheet },
  };
}
