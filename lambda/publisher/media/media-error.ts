// What can be wrong with a user's file, in words for the user.

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

/** The media is to blame: trying again cannot help. `detail` is a sentence for the user and never holds an address. */
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

/** The tool that examines or encodes got no more memory. */
export function takesTooMuchMemory(): MediaError {
  return new MediaError(
    'too_demanding',
    'The file takes more memory to decode than one may have. Make it anew with smaller pictures, of 8 bits a colour.',
  );
}
