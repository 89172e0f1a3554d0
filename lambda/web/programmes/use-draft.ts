// The draft of a programme while it is edited: its edits, and the faults of the last attempt to save it.
import { useSyncExternalStore, useState } from 'react';
import { ApiError, call } from '../app/api.ts';
import type { Faults } from '../app/faults.tsx';
import { refresh, show } from '../app/live-data.ts';
import type { Programme } from '../app/types.ts';
import { useAttempt } from '../use-attempt.ts';
import { programmeWords as words } from '#words/programmes.ts';
import { changesOf, rulesOf } from './rules.ts';
import type { Rules } from './rules.ts';

export interface Draft {
  /** The rules with all edits. */
  readonly rules: Rules;
  readonly isUnsaved: boolean;
  readonly isPending: boolean;
  readonly faults: Faults;
  /** The refusal of the last attempt; null: it succeeded. */
  readonly error: string | null;
  readonly change: (changed: Partial<Rules>) => void;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
  readonly publish: () => Promise<void>;
}

interface Edited {
  /** The version that the edits began with. */
  readonly version: number;
  readonly before: Rules;
  readonly rules: Rules;
}

/** Edits by the id of their programme. They outlive its screen, so a way to another screen and back loses none. */
const kept = new Map<string, Edited>();
const listeners = new Set<() => void>();

function keep(id: string, edited: Edited | null): void {
  if (edited === null) kept.delete(id);
  else kept.set(id, edited);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// A closed tab would lose them.
addEventListener('beforeunload', (event) => {
  const isAnyUnsaved = [...kept.values()].some(({ before, rules }) => Object.keys(changesOf(before, rules)).length > 0);
  if (isAnyUnsaved) event.preventDefault();
});

/** @param programme as last read. Edits stay while another person changes it, and are then refused. */
export function useDraft(programme: Programme): Draft {
  const edited = useSyncExternalStore(subscribe, () => kept.get(programme.id) ?? null);
  const setEdited = (next: Edited | null) => keep(programme.id, next);
  const [faults, setFaults] = useState<Faults>([]);
  const read = rulesOf(programme);
  const { version, before, rules } = edited ?? { version: programme.version, before: read, rules: read };
  const path = `/programmes/${programme.id}`;
  const isUnsaved = Object.keys(changesOf(before, rules)).length > 0;
  const answered = async (act: () => Promise<Programme>): Promise<Programme> => {
    try {
      setFaults([]);
      const answer = await act();
      show(path, answer);
      refresh('/programmes?');
      refresh(`${path}/`);
      return answer;
    } catch (error) {
      throw inWords(error, setFaults);
    }
  };
  const saving = useAttempt(async () => {
    const saved = await answered(() => call('PATCH', path, { ...changesOf(before, rules), expectedVersion: version }));
    // Edits that were made meanwhile stay, and are those of the version that was saved.
    const rebased = { version: saved.version, before: rulesOf(saved) };
    const now = kept.get(programme.id) ?? null;
    setEdited(now === null || now === edited ? null : { ...now, ...rebased });
  });
  const publishing = useAttempt(() => answered(() => call('POST', `${path}/publish`)));
  return {
    rules,
    isUnsaved,
    faults,
    isPending: saving.isPending || publishing.isPending,
    error: saving.error ?? publishing.error,
    change: (changed) => setEdited({ version, before, rules: { ...rules, ...changed } }),
    discard: () => {
      setEdited(null);
      setFaults([]);
    },
    save: saving.attempt,
    publish: publishing.attempt,
  };
}

/** The refusal in words, with its faults kept for the fields. */
function inWords(error: unknown, keep: (faults: Faults) => void): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'version_conflict') return new Error(words.conflict);
  if (error.errors.length === 0) return error;
  keep(error.errors);
  return new Error(words.invalid);
}
