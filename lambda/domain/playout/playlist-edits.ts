// Applies a batch of edits to the draft of a playlist: in order, each to the result of the one before, and all or none.
import type { ItemLook } from './look.ts';
import type { PlaylistMode } from './play-out.ts';
import type { Join, SoundSettings, SoundUnder } from './sound.ts';

export interface PlaylistItem {
  readonly id: string;
  readonly uploadID: string;
  /** Loudness settings; absent: those of the stream. */
  readonly sound?: SoundSettings;
  /** Look settings; absent: those of the stream. */
  readonly look?: ItemLook;
  /** The join to the next item; absent: the setting of the stream. */
  readonly join?: Join;
  /** How its sound is heard under an audio track; absent: the setting of the stream. */
  readonly under?: SoundUnder;
}

/** The editable content of a playlist. */
export interface PlaylistSpec {
  readonly mode: PlaylistMode;
  readonly items: readonly PlaylistItem[];
}

export type PlaylistOperation =
  | {
      readonly op: 'add';
      readonly uploadID: string;
      readonly index?: number | undefined;
      readonly itemID?: string | undefined;
    }
  | { readonly op: 'remove'; readonly itemID: string }
  | { readonly op: 'move'; readonly itemID: string; readonly index: number }
  | { readonly op: 'replace'; readonly itemID: string; readonly uploadID: string }
  /** Absent fields keep their value; null clears a field. */
  | {
      readonly op: 'set';
      readonly itemID: string;
      readonly sound?: Partial<SoundSettings> | null | undefined;
      readonly look?: ItemLook | null | undefined;
    }
  | { readonly op: 'setMode'; readonly mode: PlaylistMode }
  | { readonly op: 'clear' };

export const maxPlaylistItems = 1000;

/** The reason why an operation of a batch cannot be applied, and the field that causes it. */
export interface EditFault {
  readonly operationIndex: number;
  readonly field: string | null;
  readonly detail: string;
}

export type EditResult = { readonly spec: PlaylistSpec } | { readonly fault: EditFault };

/**
 * Applies a whole batch, or returns the fault of the first operation that cannot be applied.
 * @param newItemID creates an id for an item that is added without one
 */
export function applyPlaylistOperations(
  spec: PlaylistSpec,
  operations: readonly PlaylistOperation[],
  newItemID: () => string,
): EditResult {
  let edited = spec;
  for (const [operationIndex, operation] of operations.entries()) {
    const result = applyOne(edited, operation, newItemID);
    if ('detail' in result) return { fault: { operationIndex, ...result } };
    edited = result;
  }
  return { spec: edited };
}

type Fault = Pick<EditFault, 'field' | 'detail'>;

function applyOne(spec: PlaylistSpec, operation: PlaylistOperation, newItemID: () => string): PlaylistSpec | Fault {
  switch (operation.op) {
    case 'add': {
      if (spec.items.length >= maxPlaylistItems)
        return { field: null, detail: `A playlist holds at most ${maxPlaylistItems} items.` };
      const id = operation.itemID ?? newItemID();
      if (spec.items.some((item) => item.id === id))
        return { field: 'itemID', detail: `The playlist already has an item ${id}.` };
      const index = operation.index ?? spec.items.length;
      if (index > spec.items.length)
        return { field: 'index', detail: `The index may be at most ${spec.items.length}, the number of items.` };
      return {
        ...spec,
        items: spec.items.toSpliced(index, 0, { id, uploadID: operation.uploadID }),
      };
    }
    case 'remove':
      return withItem(spec, operation.itemID, (at) => ({ ...spec, items: spec.items.toSpliced(at, 1) }));
    case 'move':
      return withItem(spec, operation.itemID, (at) => {
        if (operation.index >= spec.items.length) {
          return { field: 'index', detail: `The index may be at most ${spec.items.length - 1}, the last place.` };
        }
        return { ...spec, items: spec.items.toSpliced(at, 1).toSpliced(operation.index, 0, spec.items[at]!) };
      });
    case 'replace':
      return withItem(spec, operation.itemID, (at) => ({
        ...spec,
        items: spec.items.with(at, { ...spec.items[at]!, uploadID: operation.uploadID }),
      }));
    case 'set':
      return withItem(spec, operation.itemID, (at) => {
        const before = spec.items[at]!;
        const { id, uploadID } = before;
        const { sound, look = before.look } = operation;
        const { loudness, join, under }: Partial<SoundSettings> =
          sound === undefined ? { ...before, loudness: before.sound?.loudness } : (sound ?? {});
        const heard = { ...(loudness && { sound: { loudness } }), ...(join && { join }), ...(under && { under }) };
        return { ...spec, items: spec.items.with(at, { id, uploadID, ...heard, ...(look && { look }) }) };
      });
    case 'setMode':
      return { ...spec, mode: operation.mode };
    case 'clear':
      return { ...spec, items: [] };
  }
}

function withItem(
  spec: PlaylistSpec,
  itemID: string,
  edit: (at: number) => PlaylistSpec | Fault,
): PlaylistSpec | Fault {
  const at = spec.items.findIndex((item) => item.id === itemID);
  return at < 0
    ? { field: 'itemID', detail: `The playlist has no item ${itemID} at this point of the batch.` }
    : edit(at);
}
