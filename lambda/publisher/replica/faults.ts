// What can go wrong on our own side while a replica publishes, in words for the user.

/** This machine does not encode the stream in real time, or does not send it in time. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
  readonly code = 'slower_than_real_time';
  readonly detail = 'The publisher does not encode this stream in real time.';
}

/** This machine encodes the stream so slowly that its pictures are about to be late. */
export class FallsBehind extends Error {
  override readonly name = 'FallsBehind';
  readonly code = 'falling_behind';
  readonly detail =
    'The publisher encodes this stream hardly in real time, and pictures are about to be late. ' +
    'What helps: lower its quality or framerate, stop another stream, or send prepared media (streamBackend manifest).';
}

/** The stream gave its share of the agent back while its destination took nothing, and others take it now. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly code = 'no_capacity';
  readonly detail = 'The destination can be reached again, and the stream goes on as soon as a publisher is free.';
}

/** What was prepared is lost or damaged, and there is nothing else to play until it is made anew. */
export class NothingReadable extends Error {
  override readonly name = 'NothingReadable';
  readonly code = 'prepared_anew';
  readonly detail = 'What was prepared of this stream cannot be read. It is being prepared anew.';
}
