// The sound of an item that is joined to no other.
import type { ComposedSound } from '../../lambda/domain/playout/composed-sound.ts';
import type { SoundLevel } from '../../lambda/domain/playout/sound.ts';

export function plainSound(source: string | null, level: SoundLevel | null = null): ComposedSound {
  const item = { source, level, startSample: 0, fades: [] };
  return { item, before: null, over: [], follows: null, followed: null };
}
