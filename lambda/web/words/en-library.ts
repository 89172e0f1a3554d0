// The words of the library, of uploads and of playlists: a part of the catalogue.
import { plural } from './plural.ts';

export const library = {
  title: 'Library',
  add: 'Add files',
  dropHere: 'Drop files or folders anywhere on this page.',
  search: 'Search by name',
  empty: 'No files yet.',
  nothingFits: 'No file fits.',
  link: 'Import from a link',
  linkLabel: 'Link to a file',
  linkHint: 'Share links of Google Drive, Dropbox, OneDrive and Box work as they are.',
  importIt: 'Import',
  probe: { pending: 'Is being examined', completed: 'Ready', failed: 'Unusable' },
  notThere: 'Has not arrived',
  importing: (bytes: string) => `Importing: ${bytes}`,
  importFailed: 'Import failed',
  usedBy: (playlists: number, streams: number) =>
    `used by ${[plural(playlists, 'playlist', 'playlists'), plural(streams, 'stream', 'streams')]
      .filter((use) => !use.startsWith('0 '))
      .join(' and ')}`,
  unused: 'not used',
  findings: (count: number) => `${plural(count, 'thing', 'things')} that viewers may notice`,
  captions: (count: number) => (count === 0 ? 'Captions' : plural(count, 'caption', 'captions')),
  captionsHint: 'An SRT or WebVTT file. Streams show them that are told to, under “Sound and look”.',
  chooseCaptions: 'Choose a file',
  captionsOf: (name: string) => `Captions of ${name}`,
  removeCaptions: 'Take them away',
  removeCaptionsOf: (name: string) => `Take away the captions of ${name}`,
  captionsEncoding: 'The text is not in UTF-8. Save the file as UTF-8, and choose it again.',
  retryOne: (name: string) => `Try again: ${name}`,
  removeAsk: (name: string) => `Delete ${name}?`,
  removeText: 'The file goes for good.',
  removeUsed: 'It is used: streams and playlists that play it have to let go of it first.',
  stream: 'Stream it',
} as const;

export const tray = {
  title: 'Uploads',
  summary: (open: number) => (open === 0 ? 'All uploads are done' : plural(open, 'upload', 'uploads')),
  clear: 'Clear',
  pause: 'Pause',
  resume: 'Go on',
  again: 'Choose it again',
  lost: (name: string) => `${name} was interrupted. Choose or drop the same file again: what has arrived is kept.`,
  states: {
    waiting: 'Waits',
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
  empty: 'No playlists yet. Make one on the page of a stream.',
  of: (stream: string) => `of ${stream}`,
  items: (count: number) => plural(count, 'item', 'items'),
  make: 'Make a playlist',
  edit: 'Edit the playlist',
  none: 'No items yet. Add some from the library below.',
  /** Where the API's own words name operations. */
  failures: {
    upload_not_uploaded: 'The file has not arrived: it is on its way, or was interrupted.',
  } as Readonly<Record<string, string>>,
  missing: 'This playlist is not there, or not any more.',
  same: 'What streams play is this draft.',
  different:
    'This draft is not what is played yet. A start publishes it; a live stream takes it over when you publish.',
  publishing: 'It is being published: its media is prepared first.',
  publish: 'Publish',
  discard: 'Discard the draft',
  discardAsk: 'Discard what was edited?',
  discardText: 'The draft is again what was published last. What you have edited since is gone.',
  takesOver: (at: string) => `What was published last is on air from ${at}.`,
  mode: 'Order',
  modes: { sequential: 'One after the other', shuffle: 'Shuffled, anew each lap' },
  marks: { added: 'New', moved: 'Moved' },
  beginsAt: (at: string) => `at ${at} of each lap`,
  againstLive: (added: number, moved: number, removed: number) =>
    `Against what is played: ${[
      added > 0 && `${added} new`,
      moved > 0 && `${moved} moved`,
      removed > 0 && `${removed} taken out`,
    ]
      .filter((part) => part !== false)
      .join(', ')}.`,
  takenOut: 'is played until you publish',
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  position: (name: string) => `Position of ${name}`,
  take: (name: string) => `Take out ${name}`,
  add: 'Add from the library',
  addOne: (name: string) => `Add ${name}`,
  conflict: 'Somebody else has changed it meanwhile. You see it as it is now: do it again if you still want to.',
} as const;
