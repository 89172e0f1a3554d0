// The words of the library, of uploads and of playlists: a part of the catalogue.
import { plural } from './plural.ts';

type Use = 'playlists' | 'streams' | 'managedSettings';

export const library = {
  title: 'Library',
  files: 'Files',
  add: 'Add files',
  dropHere: 'Drop files or folders anywhere on this page.',
  search: 'Search by name',
  empty: 'No files yet.',
  nothingFits: 'No matching files.',
  link: 'Import from a link',
  linkLabel: 'Link to a file',
  linkHint: 'Share links of Google Drive, Dropbox, OneDrive and Box work as they are.',
  importIt: 'Import',
  probe: { pending: 'Examining', completed: 'Ready', failed: 'Unusable' },
  notThere: 'Not uploaded',
  importing: (bytes: string) => `Importing: ${bytes}`,
  importFailed: 'Import failed',
  usedBy: ({ playlists, streams, managedSettings }: Readonly<Record<Use, number>>) =>
    `used by ${[
      plural(playlists, 'playlist', 'playlists'),
      plural(streams, 'stream', 'streams'),
      plural(managedSettings, 'set of broadcast settings', 'sets of broadcast settings'),
    ]
      .filter((use) => !use.startsWith('0 '))
      .join(' and ')}`,
  unused: 'not used',
  findings: (count: number) => `${plural(count, 'thing', 'things')} that viewers may notice`,
  captions: (count: number) => (count === 0 ? 'Captions' : plural(count, 'caption', 'captions')),
  captionsHint: 'An SRT or WebVTT file. Streams show captions that are switched on under “Sound and look”.',
  chooseCaptions: 'Choose a file',
  captionsOf: (name: string) => `Captions of ${name}`,
  removeCaptions: 'Remove captions',
  removeCaptionsOf: (name: string) => `Remove the captions of ${name}`,
  captionsEncoding: 'The text is not in UTF-8. Save the file as UTF-8 and choose it again.',
  retryOne: (name: string) => `Try again: ${name}`,
  removeAsk: (name: string) => `Delete ${name}?`,
  removeText: 'The file is deleted for good.',
  removeUsed: 'Streams, playlists or broadcast settings use it. Remove it from them first.',
  stream: 'Stream it',
} as const;

export const tray = {
  title: 'Uploads',
  summary: (open: number) => (open === 0 ? 'All uploads are done' : plural(open, 'upload', 'uploads')),
  clear: 'Clear',
  pause: 'Pause',
  resume: 'Resume',
  again: 'Choose it again',
  lost: (name: string) => `${name} was interrupted. Choose or drop the same file again: uploaded parts are kept.`,
  states: {
    waiting: 'Waiting',
    sending: 'Uploading',
    paused: 'Paused',
    failed: 'Failed',
    done: 'Uploaded',
    interrupted: 'Interrupted',
  },
} as const;

export const playlists = {
  title: 'Playlists',
  one: 'Playlist',
  empty: 'No playlists yet. Create one on the page of a stream.',
  of: (stream: string) => `of ${stream}`,
  withoutStream: 'its stream is deleted',
  name: 'Name',
  rename: 'Rename it',
  remove: 'Delete this playlist',
  removeAsk: (name: string) => `Delete ${name}?`,
  removeText: 'Its order is lost. Files in the library stay.',
  kept: 'Keep it',
  takeUp: 'Use an existing playlist',
  takeUpHint: 'A playlist belongs to one stream: it leaves the other one, and replaces a playlist of its kind here.',
  use: 'Use it',
  kinds: { video: 'video', audio: 'music' },
  items: (count: number) => plural(count, 'item', 'items'),
  make: 'Create a playlist',
  edit: 'Edit the playlist',
  none: 'No items yet. Add some from the library below.',
  /** Texts for failures whose API texts name operations. */
  failures: {
    upload_not_uploaded: 'The file is not uploaded yet, or its upload was interrupted.',
  } as Readonly<Record<string, string>>,
  missing: 'This playlist does not exist, or was deleted.',
  same: 'Streams play this draft.',
  different:
    'Streams do not play this draft yet. A start publishes it. If you publish it, a live stream continues with the ' +
    'item after the one that plays.',
  publishing: 'Publishing: its media is prepared first.',
  publish: 'Publish',
  publishFromFirst: 'Publish and begin with the first item',
  discard: 'Discard the draft',
  discardAsk: 'Discard your edits?',
  discardText: 'The draft returns to the last published version. Your edits since then are lost.',
  takesOver: (at: string) => `The published version is on air from ${at}.`,
  mode: 'Order',
  modes: { sequential: 'One after the other', shuffle: 'Shuffled in each lap' },
  marks: { added: 'New', moved: 'Moved' },
  beginsAt: (at: string) => `at ${at} of each lap`,
  againstLive: (added: number, moved: number, removed: number) =>
    `Compared to the live version: ${[
      added > 0 && `${added} new`,
      moved > 0 && `${moved} moved`,
      removed > 0 && `${removed} removed`,
    ]
      .filter((part) => part !== false)
      .join(', ')}.`,
  takenOut: 'plays until you publish',
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  position: (name: string) => `Position of ${name}`,
  take: (name: string) => `Remove ${name}`,
  add: 'Add from the library',
  addOne: (name: string) => `Add ${name}`,
  conflict:
    'Another person has changed it meanwhile. This is the current version: repeat your edit if you still want it.',
} as const;
