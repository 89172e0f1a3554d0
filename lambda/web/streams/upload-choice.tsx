// The choice of one upload of the library. A search narrows the list if one answer of the API has not all.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { titleLine } from '../../domain/playout/titles.ts';
import { useLive } from '../app/live-data.ts';
import type { Page, Upload } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';

interface UploadChoiceProps {
  readonly name: string;
  readonly label: string;
  /** The text of the option without an upload. */
  readonly none: string;
  /** Parameters of the list, such as `type=image`. */
  readonly query?: string;
  readonly isOffered?: (upload: Upload) => boolean;
  readonly uploadID: string | null;
  readonly onChange: (uploadID: string | null) => void;
}

/** The title with its artist as viewers see them, else the name of the file. */
function nameOf({ title, artist, name }: Upload): string {
  return title === null ? name : titleLine({ title, artist });
}

const everyUpload = (): boolean => true;

export function UploadChoice({
  name,
  label,
  none,
  query = '',
  isOffered = everyUpload,
  uploadID,
  onChange,
}: UploadChoiceProps): ReactNode {
  const [search, setSearch] = useState('');
  const parameters = ['limit=100', query, search && `q=${encodeURIComponent(search)}`].filter(Boolean).join('&');
  const { data: uploads } = useLive<Page<Upload>>(`/uploads?${parameters}`);
  const offered = (uploads?.data ?? []).filter(isOffered);
  const isListed = uploadID === null || offered.some(({ id }) => id === uploadID);
  const { data: chosen, error } = useLive<Upload>(isListed || !uploads ? null : `/uploads/${uploadID}`);
  return (
    <Choice
      name={name}
      label={label}
      value={uploadID ?? ''}
      options={[
        ['', none],
        ...offered.map((upload) => [upload.id, nameOf(upload)] as const),
        ...(isListed
          ? []
          : [[uploadID, chosen ? nameOf(chosen) : error?.status === 404 ? words.library.deleted : '…'] as const]),
      ]}
      onChange={(id) => onChange(id === '' ? null : id)}
      onSearch={uploads?.page.hasMore === true || search !== '' ? setSearch : undefined}
    />
  );
}
