// What the API answers, as the catalogue declares it: only types come from there, which reach no browser.
import type * as z from 'zod';
import type { incidentSchema } from '../../operations/alerts/incident-schema.ts';
import type { destinationSchema } from '../../operations/destinations/destination-schema.ts';
import type { invoiceSchema } from '../../operations/billing/invoice-schema.ts';
import type { playlistSchema } from '../../operations/playlists/playlist-schema.ts';
import type { outputSchema } from '../../operations/outputs/output-schema.ts';
import type { streamSchema } from '../../operations/streams/stream-schema.ts';
import type { timelineRow } from '../../operations/streams/timeline-row.ts';
import type { transition } from '../../operations/streams/stream-transition.ts';
import type { uploadSchema } from '../../operations/uploads/upload-schema.ts';
import type { figuresSchema } from '../../operations/streams/stream-figures.ts';

export type Stream = z.output<typeof streamSchema>;
export type Playlist = z.output<typeof playlistSchema>;
export type Output = z.output<typeof outputSchema>;
export type Upload = z.output<typeof uploadSchema>;
export type Destination = z.output<typeof destinationSchema>;
export type Incident = z.output<typeof incidentSchema>;
export type Invoice = z.output<typeof invoiceSchema>;
export type TimelineRow = z.output<typeof timelineRow>;
export type Transition = z.output<typeof transition>;

/** What `GET /streams/{id}/stats` answers, as far as the page shows it. */
export interface StreamStats extends z.output<typeof figuresSchema> {
  readonly uptimeSeconds: number;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
}
