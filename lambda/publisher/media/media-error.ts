// What can be wrong with a user's file, in words for the user.

export type MediaErrorCode =
  | 'empty'
  | 'not_media'
  | 'truncated'
  | 'type_mismatch'
  | 'no_decodable_stream'
  | 'damaged'
  | 'unsupported'
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
