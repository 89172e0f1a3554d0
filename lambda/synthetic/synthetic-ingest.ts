// The port of the synthetic stream's ingest, which accepts any media and does not keep it for long.

/** An ingest for a single start of the stream. */
export interface OpenIngest extends AsyncDisposable {
  /** The destination to set by the API. */
  readonly destination: { readonly url: string; readonly streamKey: string };
  /** Whether pictures have arrived, independently of the reports of the platform. */
  hasPictures(): Promise<boolean>;
}

export interface SyntheticIngest {
  open(): Promise<OpenIngest>;
}
