// Where secrets are kept: what each is sealed for, so that it opens nowhere else.

export function destinationKeyPlace(destinationID: string): string {
  return `destination/${destinationID}`;
}

/** The deprecated key that a stream may carry itself. */
export function streamKeyPlace(streamID: string): string {
  return `stream/${streamID}`;
}
