// The files of the library that fit a playlist: one is added by its button, many by their boxes.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { titleLine } from '../../domain/playout/titles.ts';
import { formatDuration } from '../app/format.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { SearchField } from '../app/search-field.tsx';
import type { Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { playlistWords } from '#words/playlist.ts';

interface LibraryPickerProps {
  readonly kind: PlaylistKind;
  readonly onAdd: (uploadID: string) => void;
}

export function LibraryPicker({ kind, onAdd }: LibraryPickerProps): ReactNode {
  const [search, setSearch] = useState('');
  const [type, setType] = useState<keyof typeof playlistWords.kinds>('video');
  /** In the order of their choice. */
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const query = new URLSearchParams({
    limit: '20',
    type: kind === 'audio' ? 'audio' : type,
    ...(search && { q: search }),
  });
  const path = `/uploads?${query}`;
  const { first, items, more } = usePages<Upload>(path);
  const addChosen = () => {
    chosen.forEach(onAdd);
    setChosen([]);
  };
  return (
    <section aria-labelledby="library">
      <div className="heading">
        <h2 id="library">{words.playlists.add}</h2>
        {chosen.length > 0 && (
          <button type="button" className="primary" title={playlistWords.addAtEnd} onClick={addChosen}>
            {playlistWords.addChosen(chosen.length)}
          </button>
        )}
      </div>
      <div className="filters">
        <SearchField label={words.library.search} onSearch={setSearch} />
        {kind === 'video' && (
          <Choice
            name="type"
            label={playlistWords.kind}
            isLabelHidden
            value={type}
            onChange={(value) => setType(value as typeof type)}
            options={Object.entries(playlistWords.kinds)}
          />
        )}
      </div>
      <Loaded live={first} path={path}>
        {() => (
          <ul className="rows">
            {items.map((upload) => (
              <Row
                key={upload.id}
                upload={upload}
                isChosen={chosen.includes(upload.id)}
                onChoose={(isChosen) =>
                  setChosen(isChosen ? [...chosen, upload.id] : chosen.filter((id) => id !== upload.id))
                }
                onAdd={() => onAdd(upload.id)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <MoreButton more={more} />
    </section>
  );
}

interface RowProps {
  readonly upload: Upload;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
  readonly onAdd: () => void;
}

function Row({ upload: { name, title, artist, durationSeconds }, isChosen, onChoose, onAdd }: RowProps): ReactNode {
  const shown = title === null ? name : titleLine({ title, artist });
  return (
    <li>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={playlistWords.choose(shown)}
        onChange={(event) => onChoose(event.target.checked)}
      />
      <div>
        <span className="name">{shown}</span>
        {title !== null && <p className="hint">{name}</p>}
      </div>
      <span className="state">
        <span className="hint time">{durationSeconds !== null && formatDuration(durationSeconds)}</span>
        <button type="button" className="icon" aria-label={words.playlists.addOne(shown)} onClick={onAdd}>
          <Plus aria-hidden />
        </button>
      </span>
    </li>
  );
}
