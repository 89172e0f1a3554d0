// Names in a channel file in place of the ids of the API, and the names of the fields that hold them.

export type ReferenceKind = 'upload' | 'collection' | 'destination' | 'playlist' | 'source' | 'managedSettings';

/** Fields of the API that hold ids, with their names in a file. */
const references: Readonly<Record<string, { readonly kind: ReferenceKind; readonly inFile: string }>> = {
  uploadID: { kind: 'upload', inFile: 'upload' },
  uploadIDs: { kind: 'upload', inFile: 'uploads' },
  videoUploadObjectID: { kind: 'upload', inFile: 'videoUpload' },
  audioUploadObjectID: { kind: 'upload', inFile: 'audioUpload' },
  introUploadID: { kind: 'upload', inFile: 'introUpload' },
  outroUploadID: { kind: 'upload', inFile: 'outroUpload' },
  collectionID: { kind: 'collection', inFile: 'collection' },
  collectionIDs: { kind: 'collection', inFile: 'collections' },
  destinationID: { kind: 'destination', inFile: 'destination' },
  playlistID: { kind: 'playlist', inFile: 'playlist' },
  sourceID: { kind: 'source', inFile: 'watchedSource' },
  managedSettingsID: { kind: 'managedSettings', inFile: 'managedSettings' },
};
const fieldsInAPI = new Map(Object.entries(references).map(([field, { inFile }]) => [inFile, field]));

export const nameInFile = (field: string): string => references[field]?.inFile ?? field;
export const nameInAPI = (field: string): string => fieldsInAPI.get(field) ?? field;

/**
 * A copy of plain data with other fields, at any depth.
 * @param entryOf the new name and value of a field, whose own fields follow; null: it is left out
 */
export function mapped(
  value: unknown,
  entryOf: (field: string, value: unknown) => readonly [field: string, value: unknown] | null,
): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, entryOf));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([field, each]) => {
    const entry = entryOf(field, each);
    return entry ? [[entry[0], mapped(entry[1], entryOf)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** A copy of plain data with other names of fields. */
export function renamed(value: unknown, nameOf: (field: string) => string): unknown {
  return mapped(value, (field, each) => [nameOf(field), each]);
}

/** A copy of plain data whose references are replaced. */
export function resolved(value: unknown, resolve: (kind: ReferenceKind, reference: string) => string): unknown {
  return mapped(value, (field, each) => {
    const kind = references[field]?.kind;
    if (kind === undefined) return [field, each];
    if (Array.isArray(each)) return [field, each.map((one) => resolve(kind, String(one)))];
    return [field, typeof each === 'string' ? resolve(kind, each) : each];
  });
}

export type Plain = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
