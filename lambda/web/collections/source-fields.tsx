// The fields of a collection's source: those of its form.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type * as z from 'zod';
import type { sourceSchema } from '../../operations/sources/source-schema.ts';
import { useFault } from '../app/faults.tsx';
import { useLive } from '../app/live-data.ts';
import type { Collection, Page, Playlist, Upload } from '../app/types.ts';
import { Field } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { UploadChoice } from '../streams/upload-choice.tsx';
import { words as shared } from '#words';
import { collectionWords as words } from '#words/collections.ts';
import { formOf } from './collection-source.ts';
import type { Source, SourceForm } from './collection-source.ts';

interface SourceFieldsProps {
  /** Null: the collection is new. */
  readonly ownID: string | null;
  readonly kind: Collection['kind'];
  readonly source: Source;
  readonly onChange: (source: Source) => void;
}

const fieldsOf: Readonly<Record<SourceForm, (props: SourceFieldsProps) => ReactNode>> = {
  folder: FolderFields,
  tags: TagFields,
  text: TextField,
  playlistID: PlaylistChoice,
  sourceID: WatchedChoice,
  uploadIDs: UploadsFields,
  collectionIDs: PartsFields,
};

export function SourceFields(props: SourceFieldsProps): ReactNode {
  const Fields = fieldsOf[formOf(props.source)];
  return <Fields {...props} />;
}

function FolderFields({ source, onChange }: SourceFieldsProps): ReactNode {
  return (
    <>
      <Field
        name="folder"
        label={words.folder}
        hint={words.folderHint}
        required={false}
        value={source.folder ?? ''}
        fault={useFault('/source/folder')}
        onChange={(event) => onChange({ ...source, folder: event.target.value })}
      />
      <label className="switch">
        <input
          type="checkbox"
          checked={source.recursive ?? false}
          onChange={(event) => onChange({ ...source, recursive: event.target.checked })}
        />
        {words.recursive}
      </label>
    </>
  );
}

/** The tags of a text with commas. */
const tagsIn = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

function TagFields({ source, onChange }: SourceFieldsProps): ReactNode {
  return (['allTags', 'anyTags', 'noTags'] as const).map((name) => (
    <TagField
      key={name}
      name={name}
      tags={source[name] ?? []}
      onChange={(tags) => onChange({ ...source, [name]: tags })}
    />
  ));
}

interface TagFieldProps {
  readonly name: 'allTags' | 'anyTags' | 'noTags';
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}

function TagField({ name, tags, onChange }: TagFieldProps): ReactNode {
  return (
    <Field
      name={name}
      label={words[name]}
      hint={words.tagsHint}
      required={false}
      defaultValue={tags.join(', ')}
      fault={useFault(`/source/${name}`)}
      onChange={(event) => onChange(tagsIn(event.target.value))}
    />
  );
}

function TextField({ source, onChange }: SourceFieldsProps): ReactNode {
  return (
    <Field
      name="text"
      label={words.text}
      maxLength={255}
      value={source.text ?? ''}
      fault={useFault('/source/text')}
      onChange={(event) => onChange({ text: event.target.value })}
    />
  );
}

function PlaylistChoice({ kind, source, onChange }: SourceFieldsProps): ReactNode {
  const { data: playlists } = useLive<Page<Playlist>>('/playlists?limit=100');
  const offered = (playlists?.data ?? []).filter((each) => each.kind === kind);
  return (
    <Choice
      name="playlistID"
      label={words.playlist}
      value={source.playlistID ?? ''}
      fault={useFault('/source/playlistID')}
      options={[['', words.noPlaylist], ...offered.map(({ id, name }) => [id, name ?? shared.playlists.one] as const)]}
      onChange={(playlistID) => onChange({ playlistID })}
    />
  );
}

type WatchedSource = z.output<typeof sourceSchema>;

function WatchedChoice({ source, onChange }: SourceFieldsProps): ReactNode {
  const { data: sources } = useLive<Page<WatchedSource>>('/sources?limit=100');
  return (
    <Choice
      name="sourceID"
      label={words.source}
      value={source.sourceID ?? ''}
      fault={useFault('/source/sourceID')}
      options={[['', words.noSource], ...(sources?.data ?? []).map(({ id, url }) => [id, url] as const)]}
      onChange={(sourceID) => onChange({ sourceID })}
    />
  );
}

function UploadsFields({ source: { uploadIDs = [] }, onChange }: SourceFieldsProps): ReactNode {
  const [added, setAdded] = useState<string | null>(null);
  const fault = useFault('/source/uploadIDs');
  return (
    <fieldset>
      <legend>{words.uploads}</legend>
      {uploadIDs.length > 0 && (
        <ol className="rows">
          {uploadIDs.map((id) => (
            <ChosenUpload
              key={id}
              id={id}
              onTake={() => onChange({ uploadIDs: uploadIDs.filter((each) => each !== id) })}
            />
          ))}
        </ol>
      )}
      <UploadChoice
        name="upload"
        label={words.addUpload}
        none={words.noUpload}
        query="probeState=completed"
        isOffered={({ id }) => !uploadIDs.includes(id)}
        uploadID={added}
        onChange={(id) => {
          setAdded(null);
          if (id !== null) onChange({ uploadIDs: [...uploadIDs, id] });
        }}
      />
      {fault !== null && <p className="fault">{fault}</p>}
    </fieldset>
  );
}

function ChosenUpload({ id, onTake }: { readonly id: string; readonly onTake: () => void }): ReactNode {
  const { data } = useLive<Upload>(`/uploads/${id}`);
  const name = data?.name ?? '…';
  return (
    <li>
      <span className="name">{name}</span>
      <button type="button" aria-label={words.take(name)} onClick={onTake}>
        {shared.onAir.take}
      </button>
    </li>
  );
}

function PartsFields({ ownID, kind, source: { collectionIDs = [] }, onChange }: SourceFieldsProps): ReactNode {
  const { data: collections } = useLive<Page<Collection>>('/collections?limit=100');
  const fault = useFault('/source/collectionIDs');
  const offered = (collections?.data ?? []).filter(
    ({ id, kind: own, source }) => id !== ownID && own === kind && source.collectionIDs === undefined,
  );
  const toggle = (id: string) =>
    onChange({
      collectionIDs: collectionIDs.includes(id) ? collectionIDs.filter((each) => each !== id) : [...collectionIDs, id],
    });
  return (
    <fieldset className="many">
      <legend>{words.parts}</legend>
      {offered.length === 0 && <p className="hint">{words.noParts}</p>}
      {offered.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" checked={collectionIDs.includes(id)} onChange={() => toggle(id)} />
          {name}
        </label>
      ))}
      {fault !== null && <p className="fault">{fault}</p>}
    </fieldset>
  );
}
