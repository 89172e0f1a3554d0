// Failures of scans of sources, with the text for the user: the cause, what to do, and whether it may pass by itself.
import { codeOfStatus, ImportError } from '../import-error.ts';

interface Failure {
  readonly mayPass: boolean;
  readonly detail: string;
}

/** Codes are stable: clients see them in `reason`. */
const failures = {
  address_forbidden: {
    mayPass: false,
    detail: 'The source leads to an address from which imports are not allowed. Use a source at a public address.',
  },
  too_many_redirects: { mayPass: false, detail: 'The source redirects too often, or in a circle. Check its URL.' },
  redirect_malformed: {
    mayPass: false,
    detail: 'The source redirects to something that is not a link. Check its URL.',
  },
  name_not_found: { mayPass: true, detail: "The source's host is not known. Check its URL." },
  source_unreachable: {
    mayPass: true,
    detail: 'The source cannot be reached or does not answer. Check that it is up.',
  },
  tls_failed: { mayPass: true, detail: "The source's certificate is not valid. Have its server renew it." },
  protocol_error: { mayPass: false, detail: 'The source does not answer in HTTP. Check its URL.' },
  access_refused: {
    mayPass: false,
    detail:
      'The source refuses access. Check the credentials with update_source: user and password of a WebDAV folder or ' +
      'a feed, or keys or a role that may list and read the bucket.',
  },
  role_refused: {
    mayPass: false,
    detail: 'It refuses us. Change that, and scan the source again with scan_source.',
  },
  role_open: {
    mayPass: false,
    detail:
      'It allows access without that condition, so that other users could read the bucket through us. Add it, and ' +
      'scan the source again with scan_source.',
  },
  roles_unavailable: {
    mayPass: false,
    detail: 'Roles can only be used if the platform runs in AWS. Use accessKeyID and secretAccessKey.',
  },
  source_not_found: { mayPass: false, detail: 'There is no such folder, bucket or feed. Check the URL.' },
  source_refused: { mayPass: false, detail: 'The source refuses to be listed. Check its kind and its URL.' },
  source_failed: { mayPass: true, detail: 'The source has a fault or is overloaded. Its operator must fix it.' },
  answer_malformed: {
    mayPass: false,
    detail: 'The answer of the source does not fit its kind. Check its kind and its URL.',
  },
  answer_too_large: {
    mayPass: false,
    detail: 'The listing of the source is too large. Use a smaller folder or feed.',
  },
  took_too_long: {
    mayPass: true,
    detail: 'The source takes too long to list its files. Use a smaller folder, or a faster server.',
  },
  not_scanned: { mayPass: true, detail: 'We could not scan the source, by no fault of yours. We will retry.' },
} as const satisfies Record<string, Failure>;

export type ScanErrorCode = keyof typeof failures;

export interface ScanErrorOptions extends ErrorOptions {
  /** A sentence about the observation, without secrets. It is put before `detail`. */
  readonly seen?: string;
}

/** A failure by fault of the source or its URL, except `not_scanned`, which is our fault. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
  readonly code: ScanErrorCode;
  /** A sentence about the observation; undefined if the code says everything. */
  readonly seen: string | undefined;
  /** Sentences for the user. */
  readonly detail: string;
  readonly mayPass: boolean;

  constructor(code: ScanErrorCode, { seen, ...options }: ScanErrorOptions = {}) {
    super(code, options);
    const { detail, mayPass } = failures[code];
    this.code = code;
    this.seen = seen;
    this.detail = seen === undefined ? detail : `${seen} ${detail}`;
    this.mayPass = mayPass;
  }
}

/** Converts any error of a scan to a ScanError. */
export function asScanError(error: unknown): ScanError {
  if (error instanceof ScanError) return error;
  const isKnown = error instanceof ImportError && Object.hasOwn(failures, error.code);
  return new ScanError(isKnown ? (error.code as ScanErrorCode) : 'not_scanned', { cause: error });
}

/** The failure for the status of an answer without a listing. */
export function refusalOf(status: number): ScanError {
  return new ScanError(codeOfStatus(status), { seen: `It answers with status ${status}.` });
}
