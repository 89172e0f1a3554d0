// Faults of a user's file, with the text for the user.

export type MediaErrorCode =
  | 'empty'
  | 'not_media'
  | 'truncated'
  | 'type_mismatch'
  | 'no_decodable_stream'
  | 'damaged'
  | 'too_demanding'
  | 'unsupported'
  | 'logo_missing'
  | 'captions_missing'
  | 'content_blocked';

/** A fault of the media: a retry cannot help. `detail` is a sentence for the user, and never contains an address. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly code: MediaErrorCode;
  readonly detail: string;

  constructor(code: MediaErrorCode, detail: string) {
    super(detail);
    this.code = code;
    this.detail = detail;
  }
}

/** The error when ffmpeg or ffprobe reached its memory limit. */
export function takesTooMuchMemory(): MediaError {
  return new MediaError(
    'too_demanding',
    'The file takes more memory to decode than allowed. Export it again with smaller pictures and 8 bits per colour.',
  );
}
