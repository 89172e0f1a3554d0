// The edits of one playlist. Each is shown at once, and sent after the previous one.
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, call } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import type { Playlist } from '../app/types.ts';
import { words } from '#words';
import { edited } from './edit.ts';
import type { Edit } from './edit.ts';

export interface Edits {
  /** The playlist with all edits so far. */
  readonly shown: Playlist;
  readonly edit: (edit: Edit) => void;
  /** Publishes the draft once all edits have been answered. */
  /** Publishes the draft. A live stream continues after the item that plays, or begins with the first item. */
  readonly publish: (from: 'continue' | 'first') => Promise<void>;
  /** Resets the draft to the last published version, once all edits have been answered. */
  readonly discard: () => Promise<void>;
  /** The refusal of the last edit or publish; null if it succeeded. */
  readonly error: string | null;
}

/**
 * Each edit names the version that it changes, so that it cannot undo the change of another user. After a refusal, the
 * edits behind it are dropped, and the playlist is read again. A playlist that was read while edits are pending lacks
 * some of them, so it is shown only once its version is that of the last answer.
 * @param playlist as last read
 */
export function useEdits(playlist: Playlist): Edits {
  const [error, setError] = useState<string | null>(null);
  const [ahead, setAhead] = useState<{ readonly playlist: Playlist; readonly isAnswered: boolean } | null>(null);
  const path = `/playlists/${playlist.id}`;
  const isAhead = ahead !== null && (!ahead.isAnswered || ahead.playlist.version > playlist.version);
  const shown = isAhead ? ahead.playlist : playlist;
  const last = useRef({ shown, version: playlist.version, waiting: 0, isRefused: false, sent: Promise.resolve() });
  useEffect(() => {
    const { current } = last;
    if (current.waiting === 0) current.shown = shown;
    current.version = Math.max(current.version, playlist.version);
  }, [shown, playlist]);

  const inTurn = useCallback(
    (send: () => Promise<Playlist>): Promise<void> => {
      const { current } = last;
      current.waiting++;
      const answer = async (): Promise<void> => {
        try {
          if (current.isRefused) return;
          const answered = await send();
          current.version = answered.version;
          if (current.waiting === 1) setAhead({ playlist: answered, isAnswered: true });
        } catch (failure) {
          current.isRefused = true;
          const isConflict = failure instanceof ApiError && failure.code === 'version_conflict';
          setError(isConflict ? words.playlists.conflict : (failure as Error).message);
        } finally {
          current.waiting--;
          if (current.waiting === 0) {
            if (current.isRefused) setAhead(null);
            current.isRefused = false;
            refresh(path);
            refresh('/playlists?');
          }
        }
      };
      current.sent = current.sent.then(answer);
      return current.sent;
    },
    [path],
  );
  const edit = useCallback(
    (operation: Edit): void => {
      const { current } = last;
      setError(null);
      current.shown = edited(current.shown, operation);
      setAhead({ playlist: current.shown, isAnswered: false });
      const send = () =>
        call<Playlist>('POST', `${path}/operations`, { operations: [operation], expectedVersion: current.version });
      void inTurn(send);
    },
    [path, inTurn],
  );
  const post = useCallback(
    (what: 'publish' | 'discard-draft', body?: object): Promise<void> => {
      setError(null);
      return inTurn(() => call<Playlist>('POST', `${path}/${what}`, body));
    },
    [path, inTurn],
  );
  const publish = (from: 'continue' | 'first') => post('publish', { from });
  return { shown, edit, publish, discard: () => post('discard-draft'), error };
}
