// A stinger, as ffmpeg reads it: its pictures fill the frame, and show through what is transparent in them.
import { framingFilters } from './framing.ts';
import { inputArguments } from './input-arguments.ts';
import type { PlacedStinger, ReadPictures } from './joined-pictures.ts';
import { toPictures } from './overlays.ts';
import type { InputPlace } from './overlays.ts';
import type { Profile } from './profile.ts';
import { toneMappingFilters } from './tone-mapping.ts';

export interface StingerRequest extends PlacedStinger {
  readonly profile: Profile;
  readonly background: boolean;
}

/** Those of ffmpeg itself leave out what these codecs say of transparency. */
const decodersWithAlpha: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' };

/** What makes ffmpeg read a stinger, and the filters by which its pictures come: they fill the frame. */
export function stingerArguments(
  { sourceURL, videoCodec, dynamicRange = 'sdr', profile, background }: StingerRequest,
  { first, sheet }: InputPlace,
): ReadPictures {
  const decoder = decodersWithAlpha[videoCodec];
  const reading = decoder ? ['-c:v', decoder] : [];
  const options = { kind: 'video', pictures: dynamicRange, startSeconds: 0, background, reading } as const;
  const { cut, size } = framingFilters('crop', profile);
  // It is scaled as light is mixed: what is transparent gives no colour to the edges.
  const asLight = ['format=gbrap', 'premultiply=inplace=1', `scale=${size}`, 'unpremultiply=inplace=1'];
  const toneMapping = toneMappingFilters(dynamicRange);
  // Nothing that has a higher dynamic range says what is seen through it.
  const fit = toneMapping.length > 0 ? [`scale=${size}`, ...toneMapping] : asLight;
  const onGrid = ['setpts=PTS-STARTPTS', `fps=${profile.framesPerSecond}`];
  return {
    input: inputArguments(sourceURL, options),
    filters: [`[${first}:V:0]${[...onGrid, ...cut, ...fit, toPictures, 'setsar=1'].join(',')}`],
    next: { first: first + 1, sheet },
  };
}
