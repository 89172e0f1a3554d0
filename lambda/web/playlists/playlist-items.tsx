// The items of a draft in their order: each can be moved by a step or to a position, and taken out.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { formatDuration } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import type { Playlist, Upload } from '../app/types.ts';
import { words } from '../words/en.ts';
import type { Edit } from './edit.ts';

type Item = Playlist['draft']['items'][number];

/** Each item asks for the name of its upload, so no more are shown at once. */
const shownAtOnce = 50;

interface PlaylistItemsProps {
  readonly items: readonly Item[];
  readonly onEdit: (edit: Edit) => Promise<void>;
}

export function PlaylistItems({ items, onEdit }: PlaylistItemsProps): ReactNode {
  const [count, setCount] = useState(shownAtOnce);
  if (items.length === 0) return <p className="hint">{words.playlists.none}</p>;
  return (
    <>
      <ol className="rows long">
        {items.slice(0, count).map((item, index) => (
          <ItemRow key={item.id} item={item} index={index} count={items.length} onEdit={onEdit} />
        ))}
      </ol>
      {items.length > count && (
        <button type="button" onClick={() => setCount(count + shownAtOnce)}>
          {words.more}
        </button>
      )}
    </>
  );
}

interface ItemRowProps extends Pick<PlaylistItemsProps, 'onEdit'> {
  readonly item: Item;
  readonly index: number;
  readonly count: number;
}

function ItemRow({ item, index, count, onEdit }: ItemRowProps): ReactNode {
  const { data: upload } = useLive<Upload>(`/uploads/${item.uploadID}`);
  const name = upload?.name ?? '…';
  const move = (to: number) => {
    const place = Math.min(count - 1, Math.max(0, to));
    if (place !== index) void onEdit({ op: 'move', itemID: item.id, index: place });
  };
  return (
    <li>
      <input
        // Begins anew wherever the item is: it says where that is.
        key={index}
        className="position"
        type="number"
        min={1}
        max={count}
        defaultValue={index + 1}
        aria-label={words.playlists.position(name)}
        onBlur={(event) => move(Number(event.target.value) - 1)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') move(Number(event.currentTarget.value) - 1);
        }}
      />
      <div>
        <span className="name">{name}</span>
        {item.failure && <p className="error">{item.failure.detail}</p>}
      </div>
      <span className="state">
        <span className="hint">{item.durationSeconds !== null && formatDuration(item.durationSeconds)}</span>
        <button
          type="button"
          disabled={index === 0}
          aria-label={words.playlists.up(name)}
          onClick={() => move(index - 1)}
        >
          ↑
        </button>
        <button
          type="button"
          disabled={index === count - 1}
          aria-label={words.playlists.down(name)}
          onClick={() => move(index + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          aria-label={words.playlists.take(name)}
          onClick={() => void onEdit({ op: 'remove', itemID: item.id })}
        >
          ✕
        </button>
      </span>
    </li>
  );
}
