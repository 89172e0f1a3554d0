// Failures of imports, with the text for the user: the cause, what to do, and whether a retry may help.

interface Failure {
  readonly retriable: boolean;
  readonly detail: string;
}

/** Codes are stable: clients see them in `externalSource.failure`. */
const failures = {
  address_forbidden: {
    retriable: false,
    detail: 'The link leads to an address from which imports are not allowed. Use a link to a public address.',
  },
  too_many_redirects: {
    retriable: false,
    detail: 'The link redirects too often, or in a circle. Use a link to the file itself.',
  },
  redirect_malformed: {
    retriable: false,
    detail: 'The link redirects to something that is not a link. Use a link to the file itself.',
  },
  name_not_found: { retriable: false, detail: "The link's host is not known. Check the link." },
  source_unreachable: {
    retriable: true,
    detail: 'The source cannot be reached or does not answer. Check that the link works, then import again.',
  },
  tls_failed: {
    retriable: false,
    detail: "The source's certificate is not valid. Use a link to a host with a valid one.",
  },
  protocol_error: {
    retriable: false,
    detail: 'The source does not answer in HTTP. Use an http:// or https:// link to the file itself.',
  },
  access_refused: {
    retriable: false,
    detail:
      'The source refuses access. Share the file with everyone who has the link, or use a new link, as many expire.',
  },
  source_not_found: {
    retriable: false,
    detail: 'The source no longer has this file. Check the link, or use a new one.',
  },
  source_refused: {
    retriable: false,
    detail: 'The source refuses the request. Check that the link downloads the file in a private browser window.',
  },
  source_failed: { retriable: true, detail: 'The source has a fault or is overloaded. Import again later.' },
  web_page: {
    retriable: false,
    detail:
      'The link leads to a web page, not to a file. ' +
      'Use the link of a download button, shared with everyone who has it.',
  },
  not_media: {
    retriable: false,
    detail: 'The link does not lead to a video, audio or image file. Use a link to the media file itself.',
  },
  compressed: {
    retriable: false,
    detail: 'The source only sends the file with compression. Use a source that sends it uncompressed.',
  },
  empty: { retriable: false, detail: 'The source sends an empty file. Check the link.' },
  too_large: { retriable: false, detail: 'The file is too large to import. Use a smaller file.' },
  limit_reached: { retriable: false, detail: 'Import it again when there is room.' },
  cut_off: {
    retriable: true,
    detail: 'The source repeatedly ends before the file is complete. Import again later, or use another source.',
  },
  too_slow: {
    retriable: true,
    detail: 'The source sends too slowly, or has stopped sending. Import again later, or use another source.',
  },
  took_too_long: { retriable: false, detail: 'The import took too long. Use a faster source.' },
  recording_gone: {
    retriable: false,
    detail: 'The recorded media is no longer stored: it is kept for a day. The recording cannot be made any more.',
  },
  storage_full: {
    retriable: true,
    detail: 'The disk of the platform has no room for the file. Delete uploads or make room, then import it again.',
  },
  not_imported: {
    retriable: true,
    detail: 'We could not import this file, by no fault of yours. Import it again.',
  },
} as const satisfies Record<string, Failure>;

export type ImportErrorCode = keyof typeof failures;

export interface ImportErrorOptions extends ErrorOptions {
  /** A sentence for the user about the observation, without any address. It is put before `detail`. */
  readonly seen?: string;
  /** The wait that the source asks for. */
  readonly retryAfterMs?: number;
}

/** A failure by fault of the source or its link, except `not_imported`, which is our fault. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly code: ImportErrorCode;
  /** Sentences for the user, without any address. */
  readonly detail: string;
  readonly retriable: boolean;
  readonly retryAfterMs: number;

  constructor(code: ImportErrorCode, { seen, retryAfterMs = 0, ...options }: ImportErrorOptions = {}) {
    const { detail, retriable } = failures[code];
    super(code, options);
    this.code = code;
    this.detail = seen === undefined ? detail : `${seen} ${detail}`;
    this.retriable = retriable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The code for the status of an answer without the wanted content, of an import or a scan. */
export function codeOfStatus(status: number) {
  if ([401, 403, 407].includes(status)) return 'access_refused';
  if (status === 404 || status === 410) return 'source_not_found';
  return [408, 425, 429].includes(status) || status >= 500 ? 'source_failed' : 'source_refused';
}
