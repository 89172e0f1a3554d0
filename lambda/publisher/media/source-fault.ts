// Tells from ffmpeg's log whether the source could not be read, which is our fault, or its content could not, which is the media's.

/** How ffmpeg 5 and 7 begin the line that gives the reason why a source was given up. */
const givenUp =
  /^(?:\[[^\]]*\] )?(?:<source>|Error during demuxing|Error opening input(?: file)?(?: <source>)?): (.*)$/gmu;
/** Reasons that are not in the bytes. A dropped connection that was made again leaves other lines, which do not count. */
const unreadable =
  /^(?:Input\/output error|Server returned|HTTP error|Connection|Operation timed out|Network|No route|Broken pipe|Immediate exit|No such file|Permission denied|Protocol|Failed to resolve|Name or service|Temporary failure|Too many open files|Error number)/u;

/** @param log as a `Child` gives it, with the source's address blanked as `<source>` */
export function isSourceUnreadable(log: string): boolean {
  return [...log.matchAll(givenUp)].some(([, reason]) => unreadable.test(reason!));
}
