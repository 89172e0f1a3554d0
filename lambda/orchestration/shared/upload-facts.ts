// The facts of an upload that readiness judges.
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import type { UploadFacts } from '../../domain/readiness/readiness.ts';

export function uploadFacts(upload: PartUpload | undefined): UploadFacts | null {
  if (!upload) return null;
  return {
    uploaded: upload.uploaded,
    probeState: upload.probe_state,
    hasVideo: upload.video_codec !== null,
    hasAudio: upload.audio_codec !== null,
    findings: upload.finding_kinds,
  };
}
