// The qualities and framerates that a stream can have, as options of lists. The first one is the user's default.
import { framerates, qualities } from '../../domain/shared/video-format.ts';
import { words } from '#words';
import { framerateWords, qualityWords } from './format-words.ts';
import { useDefaults } from './price.ts';

type Options = readonly (readonly [value: string, words: string])[];

export function useFormatOptions(): { readonly qualities: Options; readonly framerates: Options } {
  const defaults = useDefaults();
  const byDefault = (format: string | null) => ['', words.stream.byDefault(format ?? '…')] as const;
  return {
    qualities: [
      byDefault(defaults && qualityWords(defaults.quality)),
      ...qualities.map((each) => [each, qualityWords(each)] as const),
    ],
    framerates: [
      byDefault(defaults && framerateWords(defaults.framerate)),
      ...framerates.map((each) => [each, framerateWords(each)] as const),
    ],
  };
}
