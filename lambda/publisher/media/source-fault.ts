// Tells from ffmpeg's log whether the source could not be read, which is our fault, or not be decoded, which is not.

/** How ffmpeg 5 and 7 begin the line that gives the reason why a source was given up. */
const givenUp =
  /^(?:\[[^\]]*\] )?(?:<source>|Error during demuxing|Error opening input(?: file)?(?: <source>)?): (.*)$/gmu;
/**
 * Reasons begin like this when they are not in the bytes of the source. A dropped connection that was made again leaves
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
