// Faults on our own side while a replica publishes, with the text for the user.

/** This machine does not encode the stream in real time, or does not send it in time. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
  readonly code = 'slower_than_real_time';
  readonly detail = 'The publisher does not encode this stream in real time.';
}

/** This machine encodes the stream so slowly that its pictures are about to be late. */
export const fallsBehind = {
  code: 'falling_behind',
  detail:
    'The publisher can hardly encode this stream in real time, and pictures are about to be late. ' +
    'Lower its quality or framerate, stop another stream, or send prepared media (streamBackend manifest).',
};

/** The process of this machine was stopped, or was kept from reading its clock, for longer than its lease. */
export const stoodStill = {
  code: 'publisher_stood_still',
  detail: 'The publisher stood still and sent nothing for a while, by no fault of yours. It sends the stream again.',
};

/** The stream released its share of the agent while its destination accepted nothing, and other streams use it now. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly code = 'no_capacity';
  readonly detail = 'The destination can be reached again. The stream continues as soon as a publisher is free.';
}

/** Prepared media is lost or damaged, and there is nothing else to play until it is prepared again. */
export class NothingReadable extends Error {
  override readonly name = 'NothingReadable';
  readonly code = 'prepared_anew';
  readonly detail = 'The prepared media of this stream cannot be read. It is being prepared again.';
}
