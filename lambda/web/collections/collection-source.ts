// The source of a collection while it is edited, and its words.
import type { Collection } from '../app/types.ts';
import { collectionWords as words } from '#words/collections.ts';

export type Source = Collection['source'];
export type SourceForm = keyof typeof words.forms;

export const sourceForms = Object.keys(words.forms) as SourceForm[];
const tagFields = ['allTags', 'anyTags', 'noTags'] as const;

export function formOf(source: Source): SourceForm {
  if (tagFields.some((field) => source[field] !== undefined)) return 'tags';
  return sourceForms.find((form) => form !== 'tags' && source[form] !== undefined) ?? 'folder';
}

const empty: Readonly<Record<SourceForm, Source>> = {
  folder: { folder: '', recursive: true },
  tags: { anyTags: [] },
  text: { text: '' },
  playlistID: { playlistID: '' },
  sourceID: { sourceID: '' },
  uploadIDs: { uploadIDs: [] },
  collectionIDs: { collectionIDs: [] },
};

export const emptySource = (form: SourceForm): Source => empty[form];

/** A source without the lists of tags that are empty, as the API wants it. */
export function requestedSource(source: Source): Source {
  return Object.fromEntries(
    Object.entries(source).filter(([field, value]) => {
      const isTags = tagFields.some((each) => each === field);
      return value !== undefined && !(isTags && (value as readonly string[]).length === 0);
    }),
  );
}

export function sourceWords(source: Source): string {
  const { folder = '', recursive = false, text = '', uploadIDs = [], collectionIDs = [] } = source;
  const { allTags = [], anyTags = [], noTags = [] } = source;
  const said: Readonly<Record<SourceForm, () => string>> = {
    folder: () => words.sources.folder(folder, recursive),
    tags: () => words.sources.tags(allTags, anyTags, noTags),
    text: () => words.sources.text(text),
    playlistID: () => words.sources.playlistID,
    sourceID: () => words.sources.sourceID,
    uploadIDs: () => words.sources.uploadIDs(uploadIDs.length),
    collectionIDs: () => words.sources.collectionIDs(collectionIDs.length),
  };
  return said[formOf(source)]();
}
