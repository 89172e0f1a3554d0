// How the keys of objects begin: uploads and renditions are in one bucket, and only their keys keep them apart.

/** The keys of renditions begin with this; `segmentKey` of the publisher makes the whole key. */
export const renditionsPrefix = 'renditions/';

/** The keys of uploads begin with this. */
export const uploadsPrefix = 'uploads/';

/** The key of the object that holds an upload's bytes. */
export function uploadKey(userID: string, uploadID: string): string {
  return `${uploadsPrefix}${userID}/${uploadID}`;
}
