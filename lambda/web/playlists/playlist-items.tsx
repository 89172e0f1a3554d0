// The items of a draft in order. Each can be dragged, moved to a position, or removed.
import { ArrowDown, ArrowUp, SlidersHorizontal, X } from 'lucide-react';
import { memo, useCallback, useMemo, useState } from 'react';
import type { PointerEvent, ReactNode } from 'react';
import type { PlaylistMode } from '../../domain/playout/play-out.ts';
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import { formatDuration } from '../app/format.ts';
import { LongList } from '../app/long-list.tsx';
import { words } from '#words';
import { playlistWords } from '#words/playlist.ts';
import type { Differences, Item } from './differences.ts';
import type { Edit } from './edit.ts';
import { ItemSheet } from './item-sheet.tsx';
import { useRowDrag } from './use-row-drag.ts';

interface PlaylistItemsProps {
  readonly items: readonly Item[];
  readonly kind: PlaylistKind;
  readonly mode: PlaylistMode;
  /** Null if nothing is live. */
  readonly differences: Differences | null;
  /** The function must not change while the playlist stays the same. */
  readonly onEdit: (edit: Edit) => void;
}

export function PlaylistItems({ items, kind, mode, differences, onEdit }: PlaylistItemsProps): ReactNode {
  const count = items.length;
  const [opened, setOpened] = useState<Item | null>(null);
  const move = useCallback(
    (itemID: string, from: number, to: number) => {
      const index = Math.min(count - 1, Math.max(0, to));
      if (index !== from) onEdit({ op: 'move', itemID, index });
    },
    [count, onEdit],
  );
  const { drag, begin } = useRowDrag((from, to) => move(items[from]!.id, from, to));
  // A shuffled lap has no times that are known before.
  const begins = useMemo(() => (mode === 'shuffle' ? [] : beginsOf(items)), [items, mode]);
  if (count === 0) return <p className="hint">{words.playlists.none}</p>;
  return (
    <>
      <LongList items={items} isOrdered markedGap={drag?.gap}>
        {(item, index) => (
          <ItemRow
            item={item}
            index={index}
            count={count}
            beginsAtSeconds={begins[index] ?? null}
            mark={markOf(item, differences)}
            isHeld={drag?.from === index}
            onMove={move}
            onRemove={onEdit}
            onHold={begin}
            onOpen={setOpened}
          />
        )}
      </LongList>
      {opened && <ItemSheet item={opened} kind={kind} onEdit={onEdit} onClose={() => setOpened(null)} />}
    </>
  );
}

/** The start of each item within a lap, in seconds; null after an item of unknown duration. */
function beginsOf(items: readonly Item[]): readonly (number | null)[] {
  let at: number | null = 0;
  return items.map(({ durationSeconds }) => {
    const begins = at;
    at = at === null || durationSeconds === null ? null : at + durationSeconds;
    return begins;
  });
}

function markOf({ id }: Item, differences: Differences | null): 'added' | 'moved' | null {
  if (differences?.added.has(id)) return 'added';
  return differences?.moved.has(id) ? 'moved' : null;
}

interface ItemRowProps {
  readonly item: Item;
  readonly index: number;
  readonly count: number;
  readonly beginsAtSeconds: number | null;
  readonly mark: 'added' | 'moved' | null;
  readonly isHeld: boolean;
  readonly onMove: (itemID: string, from: number, to: number) => void;
  readonly onRemove: (edit: Edit) => void;
  readonly onHold: (event: PointerEvent<HTMLElement>, index: number) => void;
  /** Opens the settings of the item. */
  readonly onOpen: (item: Item) => void;
}

const ItemRow = memo(ShownRow);

function ShownRow(props: ItemRowProps): ReactNode {
  const { item, index, count, beginsAtSeconds, mark, isHeld, onMove, onRemove, onHold, onOpen } = props;
  const name = item.title ?? item.name ?? '…';
  const move = (to: number) => onMove(item.id, index, to);
  return (
    <>
      <span className="handle" aria-hidden="true" data-held={isHeld} onPointerDown={(event) => onHold(event, index)}>
        ⠿
      </span>
      <input
        // A new field for each position, so that its default value shows the current one.
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
        <span className="name">{name}</span> {mark && <span className="hint">{words.playlists.marks[mark]}</span>}
        {(item.sound ?? item.look) && <span className="hint"> {playlistWords.own}</span>}
        {item.title !== null && <span className="hint"> {item.name}</span>}
        {beginsAtSeconds !== null && (
          <p className="hint">{words.playlists.beginsAt(formatDuration(beginsAtSeconds))}</p>
        )}
        {item.failure && <p className="error">{words.playlists.failures[item.failure.code] ?? item.failure.detail}</p>}
      </div>
      <span className="state">
        <span className="hint">{item.durationSeconds !== null && formatDuration(item.durationSeconds)}</span>
        <button
          type="button"
          className="icon ghost"
          aria-label={playlistWords.settings(name)}
          onClick={() => onOpen(item)}
        >
          <SlidersHorizontal aria-hidden />
        </button>
        <button
          type="button"
          className="icon ghost"
          disabled={index === 0}
          aria-label={words.playlists.up(name)}
          onClick={() => move(index - 1)}
        >
          <ArrowUp aria-hidden />
        </button>
        <button
          type="button"
          className="icon ghost"
          disabled={index === count - 1}
          aria-label={words.playlists.down(name)}
          onClick={() => move(index + 1)}
        >
          <ArrowDown aria-hidden />
        </button>
        <button
          type="button"
          className="icon ghost"
          aria-label={words.playlists.take(name)}
          onClick={() => onRemove({ op: 'remove', itemID: item.id })}
        >
          <X aria-hidden />
        </button>
      </span>
    </>
  );
}
