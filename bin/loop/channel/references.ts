// Names in a channel file in place of the ids of the API, and plain data with other names, fields and values.

/** Fields of the API that hold ids, with their names in a file, by the things that they refer to. */
const references = {
  upload: {
    uploadID: 'upload',
    uploadIDs: 'uploads',
    videoUploadObjectID: 'videoUpload',
    audioUploadObjectID: 'audioUpload',
    introUploadID: 'introUpload',
    outroUploadID: 'outroUpload',
  },
  collection: { collectionID: 'collection', collectionIDs: 'collections' },
  destination: { destinationID: 'destination' },
  playlist: { playlistID: 'playlist' },
  source: { sourceID: 'watchedSource' },
  managedSettings: { managedSettingsID: 'managedSettings' },
} as const;
export type ReferenceKind = keyof typeof references;

const fields = Object.entries(references).flatMap(([kind, names]) =>
  Object.entries(names).map(([inAPI, inFile]) => ({ kind: kind as ReferenceKind, inAPI, inFile })),
);
export const nameInFile = (field: string): string => fields.find(({ inAPI }) => inAPI === field)?.inFile ?? field;
export const nameInAPI = (field: string): string => fields.find(({ inFile }) => inFile === field)?.inAPI ?? field;

export type Plain = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Plain data as it arrives by JSON: without undefined fields, and with dates as texts. */
export function asJSON<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** The fields with these names. */
export function only(fields: object, names: readonly string[]): Plain {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

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
    const kind = fields.find(({ inAPI }) => inAPI === field)?.kind;
    if (kind === undefined) return [field, each];
    if (Array.isArray(each)) return [field, each.map((one) => resolve(kind, String(one)))];
    return [field, typeof each === 'string' ? resolve(kind, each) : each];
  });
}
