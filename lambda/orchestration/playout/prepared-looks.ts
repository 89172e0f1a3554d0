// Lets streams send pictures with drawings when they are prepared.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { KeptUpload } from '../../data/media/renditions.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { NamedDrawing } from '../../data/playout/looks.ts';
import { wholeDrawing, withNext } from '../../domain/playout/drawings.ts';
import type { DrawnItem } from '../../domain/playout/drawings.ts';
import type { Overlays } from '../../domain/playout/overlays.ts';
import { effectiveAheadSeconds, itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { drawingIn, isSound } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { drawingName, variantsOf } from '../../domain/playout/drawing-names.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { forLiveStreams } from '../shared/live-streams.ts';
import type { WantedRendition } from '../media/request-renditions.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * Stores the drawings over items, with those of their next items, for the workers that prepare them. Call it once the
 * limits of the user allow them: each is a row for hours. Decision D268.
 */
export async function saveDrawings(data: Database, overlays: Overlays, items: readonly DrawnItem[]): Promise<void> {
  await data.looks.saveDrawings([...wholeOf(overlays), ...items.flatMap((item) => variantsOf(overlays, item))]);
}

/** Stores the drawings over the items of a list, as `saveDrawings` does. */
export async function saveDrawingsOfList(data: Database, snapshot: TimelineSnapshot): Promise<void> {
  if (snapshot.overlays) await saveDrawings(data, snapshot.overlays, withNext(itemsPlayed(snapshot), snapshot.mode));
}

/** The drawing in a format over an item; undefined: none of these overlays. */
export function drawingOf(overlays: Overlays, items: readonly DrawnItem[], name: string): NamedDrawing | undefined {
  const drawings = [...wholeOf(overlays), ...items.flatMap((item) => variantsOf(overlays, item))];
  return drawings.find((drawing) => drawing.name === name);
}

function wholeOf(overlays: Overlays): NamedDrawing[] {
  const whole = wholeDrawing(overlays);
  return whole ? [{ name: drawingName(whole), drawing: whole }] : [];
}

interface KeptVariant extends WantedRendition {
  readonly variant: NamedDrawing;
}

/** The variants of uploads that are kept prepared, in their formats. */
export function keptVariants(uploads: readonly KeptUpload[]): KeptVariant[] {
  return uploads.flatMap(({ overlays, name, titles, captions, format, ...upload }) => {
    const item = { name, titles, ...(captions !== null && { captions }) };
    const variants = overlays ? variantsOf(overlays, item) : [];
    if (isSound(format)) return [];
    return variants.map((variant) => ({ ...upload, format: { ...format, variant: variant.name }, variant }));
  });
}

/** Stores the drawings in renditions of uploads that are kept prepared. @param requested those within the limits */
export async function saveKeptDrawings(
  data: Database,
  uploads: readonly KeptUpload[],
  requested: readonly WantedRendition[],
): Promise<void> {
  const names = new Set<string>(requested.flatMap(({ format }) => drawingIn(format) ?? []));
  if (names.size === 0) return;
  const wholes = uploads.flatMap(({ overlays }) => (overlays ? wholeOf(overlays) : []));
  const drawings = [...wholes, ...keptVariants(uploads).map(({ variant }) => variant)];
  await data.looks.saveDrawings(drawings.filter(({ name }) => names.has(name)));
}

/** Lets a run that is about to begin send its prepared pictures with drawings. */
export async function allowLooksAtStart(data: Database, stream: Locked<Stream>): Promise<void> {
  await data.looks.scheduleFinished(stream.id, 0);
}

/** Lets a run send its prepared pictures with drawings, so far ahead that all agents read them in time. */
export async function allowPreparedLooks(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await data.looks.scheduleFinished(stream.id, elapsedSecondsOf(stream.anchored_at, now) + effectiveAheadSeconds);
}

/** Lets the streams that wait for a rendition with a drawing send it. */
export async function allowPreparedLooksOf(pool: Pool, contentHash: string, format: RenditionFormat): Promise<void> {
  if (drawingIn(format) === undefined) return;
  const ids = await inTransaction(pool, (data) => data.looks.waitingFor(contentHash));
  await forLiveStreams(pool, ids, allowPreparedLooks);
}
