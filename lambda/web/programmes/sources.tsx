// The collection or the file that a rule draws from: its name, and the choice of one.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useFault } from '../app/faults.tsx';
import { useLive } from '../app/live-data.ts';
import type { Collection, Page, Programme } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { UploadChoice } from '../streams/upload-choice.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import type { Source } from './rules.ts';

export function SourceName({ from: { collectionID, uploadID } }: { readonly from: Source }): ReactNode {
  const path = collectionID ? `/collections/${collectionID}` : `/uploads/${uploadID}`;
  const { data, error } = useLive<{ readonly name: string }>(collectionID || uploadID ? path : null);
  if (!collectionID && !uploadID) return '…';
  return data?.name ?? (error?.status === 404 ? words.gone : '…');
}

const oneFile = 'file';

interface SourceChoiceProps {
  /** The JSON pointer of the rule. */
  readonly path: string;
  readonly kind: Programme['kind'];
  readonly from: Source;
  readonly onChange: (from: Source) => void;
}

export function SourceChoice({ path, kind, from, onChange }: SourceChoiceProps): ReactNode {
  const { data: collections } = useLive<Page<Collection>>('/collections?limit=100');
  const [isFile, setFile] = useState(from.uploadID !== undefined);
  const fault = useFault(`${path}/collectionID`, `${path}/uploadID`);
  const own = useFault(path);
  const offered = (collections?.data ?? []).filter((each) => each.kind === kind);
  const { collectionID, uploadID } = from;
  const isListed = collectionID === undefined || offered.some(({ id }) => id === collectionID);
  const { data: chosen } = useLive<Collection>(isListed || !collections ? null : `/collections/${collectionID}`);
  const choose = (value: string): void => {
    setFile(value === oneFile);
    onChange(value === oneFile || value === '' ? {} : { collectionID: value });
  };
  return (
    <>
      <Choice
        name="source"
        label={words.source}
        value={isFile ? oneFile : (collectionID ?? '')}
        fault={fault ?? (collectionID || uploadID ? null : own)}
        options={[
          ['', words.noSource],
          ...offered.map(({ id, name }) => [id, name] as const),
          ...(isListed ? [] : [[collectionID, chosen?.name ?? words.gone] as const]),
          [oneFile, words.oneFile],
        ]}
        onChange={choose}
      />
      {collections && offered.length === 0 && !isFile && <p className="hint">{words.noCollections}</p>}
      {isFile && (
        <UploadChoice
          name="file"
          label={words.file}
          none={words.noFile}
          query="probeState=completed"
          uploadID={uploadID ?? null}
          onChange={(id) => onChange(id === null ? {} : { uploadID: id })}
        />
      )}
    </>
  );
}
