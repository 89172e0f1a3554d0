// Where the synthetic stream goes: an ingest that takes what comes and keeps none of it for long.

/** Takes one start of the stream, and no other. */
export interface OpenIngest extends AsyncDisposable {
  /** What the API is told of the destination. */
  readonly destination: { readonly url: string; readonly streamKey: string };
  /** Whether pictures have come: by what has arrived, and not by what the platform says of it. */
  hasPictures(): Promise<boolean>;
}

export interface SyntheticIngest {
  open(): Promise<OpenIngest>;
}
