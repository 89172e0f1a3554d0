// Ids of contributors' sessions. Records of aired frames hold them in place of the upload that stood in for an item.

/** The prefix of the id of a session. */
export const sessionIDPrefix = 'lse';

/** Whether an id of something that was sent in place of an item is that of a session, not of an upload. */
export function isSessionID(id: string): boolean {
  return id.startsWith(`${sessionIDPrefix}_`);
}
