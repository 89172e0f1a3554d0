// The words of the screen of one playlist. They load with it.
import { plural } from './plural.ts';

export const playlistWords = {
  settings: (name: string) => `Sound and look of ${name}`,
  own: 'Own sound or look',
  asStream: 'As the stream',
  note: 'It applies to this item in this playlist. Publish the playlist for it to reach the air.',
  kind: 'Kind',
  kinds: { video: 'Videos', image: 'Pictures' },
  choose: (name: string) => `Choose ${name}`,
  addChosen: (count: number) => `Add ${plural(count, 'file', 'files')}`,
  addAtEnd: 'Chosen files are added at the end, in the order of your choice.',
  copyTo: 'Copy into another playlist',
  copyText: 'Its items and its order are copied into the draft of another playlist of its kind that has none yet.',
  target: 'Playlist without items',
  noTarget: 'There is no other playlist of this kind without items.',
  copy: 'Copy',
} as const;
