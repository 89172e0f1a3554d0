// The words of collections: sets of uploads that fill themselves.
import type { CollectionOrder } from '../../domain/media/collections.ts';
import { plural } from './plural.ts';

const list = new Intl.ListFormat('en');
const either = new Intl.ListFormat('en', { type: 'disjunction' });
const quoted = (tags: readonly string[]) => tags.map((tag) => `“${tag}”`);

export const collectionWords = {
  title: 'Collections',
  hint: 'Sets of files that fill themselves. Programmes draw from them.',
  empty: 'No collections yet',
  make: 'New collection',
  missing: 'This collection does not exist, or was deleted.',
  toList: 'All collections',
  create: 'Create it',
  files: (count: number) => plural(count, 'file', 'files'),
  partly: 'only a part of the matching files',

  name: 'Name',
  kind: 'For',
  kinds: { video: 'Video', audio: 'Music' },
  form: 'Filled by',
  forms: {
    folder: 'A folder of the library',
    tags: 'Tags',
    text: 'A search',
    playlistID: 'A playlist',
    sourceID: 'A watched source',
    uploadIDs: 'Files chosen by hand',
    collectionIDs: 'Other collections',
  },
  folder: 'Folder',
  folderHint: 'Such as Music/Live. Empty: files outside all folders.',
  recursive: 'Also files in folders inside it',
  allTags: 'All of these tags',
  anyTags: 'Any of these tags',
  noTags: 'None of these tags',
  tagsHint: 'Several are separated by commas.',
  text: 'Words of names and titles',
  playlist: 'Playlist',
  noPlaylist: 'Choose a playlist',
  source: 'Watched source',
  noSource: 'Choose a source',
  uploads: 'Files',
  addUpload: 'Add a file',
  noUpload: 'Choose a file',
  take: (name: string) => `Remove ${name}`,
  parts: 'Collections',
  noParts: 'No other collection can be a part of it.',
  order: 'Order',
  orders: {
    sequential: 'As listed',
    shuffle: 'Shuffled',
    newest: 'Newest first',
    oldest: 'Oldest first',
    series: 'Series in turns',
  } satisfies Record<CollectionOrder, string>,
  orderNames: {
    sequential: 'as listed',
    shuffle: 'shuffled',
    newest: 'newest first',
    oldest: 'oldest first',
    series: 'series in turns',
  } satisfies Record<CollectionOrder, string>,
  group: 'A series is',
  groups: {
    '': 'All files together',
    folder: 'A folder',
    artist: 'An artist',
    album: 'An album',
    tag: 'A tag that begins with …',
  },
  tagPrefix: 'Beginning of the tags',
  invalid: 'Something needs a change. The reason is written beside it.',
  members: 'In it now',
  noMembers: 'No file matches yet.',
  remove: 'Delete this collection',
  removeAsk: (name: string) => `Delete ${name}?`,
  removeText: 'Files in the library stay. Programmes that draw from it find nothing there any more.',
  keep: 'Keep it',

  sources: {
    folder: (folder: string, isRecursive: boolean) =>
      `${folder === '' ? 'files outside all folders' : `folder ${folder}`}${isRecursive ? ' and folders in it' : ''}`,
    tags: (all: readonly string[], any: readonly string[], none: readonly string[]) =>
      [
        all.length > 0 && `tagged ${list.format(quoted(all))}`,
        any.length > 0 && `tagged ${either.format(quoted(any))}`,
        none.length > 0 && `not tagged ${either.format(quoted(none))}`,
      ]
        .filter(Boolean)
        .join(', '),
    text: (text: string) => `search for “${text}”`,
    playlistID: 'a playlist',
    sourceID: 'a watched source',
    uploadIDs: (count: number) => `${plural(count, 'file', 'files')} chosen by hand`,
    collectionIDs: (count: number) => plural(count, 'collection', 'collections'),
  },
} as const;
