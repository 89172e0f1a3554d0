// Words about uploads that the database stores and the API shows.

export const uploadTypes = ['video', 'audio', 'image'] as const;
export type UploadType = (typeof uploadTypes)[number];

/** The type that a MIME type names. @param mimeType audio/…, video/… or image/… */
export function kindOfMimeType(mimeType: string): UploadType {
  return mimeType.split('/')[0]!.toLowerCase() as UploadType;
}

export const importStates = ['pending', 'downloading', 'completed', 'failed'] as const;
export const probeStates = ['pending', 'completed', 'failed'] as const;

/** Sort keys of lists of uploads. */
export const uploadSortKeys = ['createdAt', 'name', 'durationSeconds', 'fileSize'] as const;
export type UploadSortKey = (typeof uploadSortKeys)[number];
