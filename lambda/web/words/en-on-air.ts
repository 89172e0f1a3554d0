// The words of the items on the air and of the queue: a part of the catalogue.
import type { RowKind } from '../../domain/playout/planned-facts.ts';

export const onAir = {
  kinds: {
    item: 'Item',
    insert: 'Insert',
    filler: 'Filler',
    queued: 'Queued',
    off_air: 'Off air',
  } satisfies Record<RowKind, string>,
  skip: 'Skip',
  skipOne: (name: string, startAt: string) => `Skip ${name}, ${startAt}`,
  skipped: (at: string) => `Skipped. The next one begins at ${at}.`,
  programme: 'Programme',
  programmeText:
    'A programme plans by itself what the stream plays: blocks of days and hours, jingles, and no repeats.',
  instead: 'Once it is published, it plays in place of playlists.',
  make: 'New programme',
  madeFor: 'For',
  edit: 'Edit the programme',
  editOf: { video: 'Edit the programme of its video', audio: 'Edit the programme of its music' },
  unpublished: 'The programme is not published yet.',
  next: 'Play next',
  nextHint: 'A file that you let play next plays once, after the present item and those queued before it.',
  nextPreparing: 'It is being prepared for this stream, and plays next once that is done. Keep this page open.',
  nextAt: (at: string) => `It plays at ${at}.`,
  file: 'File',
  noFile: 'Choose a file',
  queue: 'Queued',
  nothingQueued: 'Nothing is queued.',
  playsAt: (at: string) => `plays at ${at}`,
  notPlanned: 'not planned yet',
  take: 'Remove',
  takeOne: (name: string) => `Remove ${name}`,
  /** Texts of refusals whose API texts name operations or fields. */
  refusals: {
    skip_too_late: 'It ends in a moment, or no longer plays at this time. Nothing else was skipped.',
    stream_not_running: 'The stream is not on the air yet. Start it first.',
    queued_item_begun: 'It plays already, or in less than 10 seconds.',
  } as Readonly<Record<string, string>>,
} as const;
