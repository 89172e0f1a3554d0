// What a stream shows besides its items, its logo and its stinger, as far as it is there.
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import type { LogoFacts } from '../../domain/readiness/logo-readiness.ts';
import type { StreamLook } from '../../domain/playout/look.ts';
import type { PlaylistItem } from '../../domain/playout/playlist-edits.ts';
import type { StingerFacts } from '../../domain/playout/stinger.ts';

/** Undefined where none is wanted, null where it is gone. */
export function wantedLogo(
  look: StreamLook | null,
  uploads: ReadonlyMap<string, Upload>,
): LogoFacts | null | undefined {
  if (!look?.overlays?.logo) return undefined;
  const upload = uploads.get(look.overlays.logo.uploadID);
  return upload ? logoFacts(upload) : null;
}

/** What is known of an upload that is to be drawn. */
export function logoFacts(upload: Upload): LogoFacts {
  return { probeState: upload.probe_state, isStill: contentFacts(upload).kind === 'image' };
}

/** Undefined where nothing that is shown is followed by one, null where it is gone or none is named. */
export function wantedStinger(
  look: StreamLook | null,
  shown: readonly PlaylistItem[],
  uploads: ReadonlyMap<string, Upload>,
): StingerFacts | null | undefined {
  const kinds = [look?.join?.kind, ...shown.map((item) => item.look?.join?.kind)];
  if (!kinds.includes('stinger')) return undefined;
  if (!look?.stinger) return null;
  const { uploadID, cutSeconds } = look.stinger;
  const upload = uploads.get(uploadID);
  return upload ? stingerFacts(upload, cutSeconds) : null;
}

/** What is known of an upload that is to be played where items follow one another. */
export function stingerFacts(upload: Upload, cutSeconds: number): StingerFacts {
  const { kind, durationSeconds } = contentFacts(upload);
  return { probeState: upload.probe_state, durationSeconds: kind === 'video' ? durationSeconds : null, cutSeconds };
}
