// Decides from ffmpeg's log whether a source could not be read, which is our fault, or not be decoded, which is not.

/** Matches the line in which ffmpeg 5 and 7 report why a source failed. */
const givenUp =
  /^(?:\[[^\]]*\] )?(?:<source>|Error during demuxing|Error opening input(?: file)?(?: <source>)?): (.*)$/gmu;
/**
 * Beginnings of reasons that are not caused by the bytes of the source. A dropped connection that was made again leaves
 * other lines, which do not count.
 */
const unreadable: readonly string[] = [
  'Input/output error',
  'Server returned',
  'HTTP error',
  'Connection',
  'Operation timed out',
  'Network',
  'No route',
  'Broken pipe',
  'Immediate exit',
  'No such file',
  'Permission denied',
  'Protocol',
  'Failed to resolve',
  'Name or service',
  'Temporary failure',
  'Too many open files',
  'Error number',
];

/** @param log the log of a `RunningMediaTool`, with `<source>` in place of the source's address */
export function isSourceUnreadable(log: string): boolean {
  return [...log.matchAll(givenUp)].some(([, reason]) => unreadable.some((beginning) => reason!.startsWith(beginning)));
}
