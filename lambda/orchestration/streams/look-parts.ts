// The logo and the stinger of a stream, as readiness checks need them.
import { contentFacts } from '../../data/media/uploads.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import type { LogoFacts } from '../../domain/readiness/logo-readiness.ts';
import type { StreamLook } from '../../domain/playout/look.ts';
import type { PlaylistItem } from '../../domain/playout/playlist-edits.ts';
import type { StingerFacts } from '../../domain/playout/stinger.ts';

/** The facts of the logo. Undefined: the look has none. Null: its upload was deleted. */
export function wantedLogo(
  look: StreamLook | null,
  uploads: ReadonlyMap<string, PartUpload>,
): LogoFacts | null | undefined {
  if (!look?.overlays?.logo) return undefined;
  const upload = uploads.get(look.overlays.logo.uploadID);
  return upload ? logoFacts(upload) : null;
}

/** The facts of an upload that is drawn. */
export function logoFacts(upload: PartUpload): LogoFacts {
  return { probeState: upload.probe_state, isStill: contentFacts(upload).kind === 'image' };
}

/** The facts of the stinger. Undefined: no join uses one. Null: none is named, or its upload was deleted. */
export function wantedStinger(
  look: StreamLook | null,
  shown: readonly PlaylistItem[],
  uploads: ReadonlyMap<string, PartUpload>,
): StingerFacts | null | undefined {
  const kinds = [look?.join?.kind, ...shown.map((item) => item.look?.join?.kind)];
  if (!kinds.includes('stinger')) return undefined;
  if (!look?.stinger) return null;
  const { uploadID, cutSeconds } = look.stinger;
  const upload = uploads.get(uploadID);
  return upload ? stingerFacts(upload, cutSeconds) : null;
}

/** The facts of an upload that plays between items. */
export function stingerFacts(upload: PartUpload, cutSeconds: number): StingerFacts {
  const { kind, durationSeconds } = contentFacts(upload);
  return { probeState: upload.probe_state, durationSeconds: kind === 'video' ? durationSeconds : null, cutSeconds };
}
