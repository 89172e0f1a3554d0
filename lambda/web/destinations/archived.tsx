// Deleted destinations, with buttons to restore them.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import { MoreButton } from '../app/more-button.tsx';
import type { Destination } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { words } from '../words/en.ts';

const path = '/destinations?archived=true&limit=20';

export function Archived(): ReactNode {
  const { items, more } = usePages<Destination>(path);
  const [error, setError] = useState<string | null>(null);
  if (items.length === 0) return null;
  const restore = async (id: string): Promise<void> => {
    setError(null);
    try {
      await call('POST', `/destinations/${id}/restore`);
      refresh('/destinations');
      refresh('/streams');
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <details>
      <summary>{words.destinations.archive}</summary>
      <ul className="rows">
        {items.map(({ id, name, url }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong>
              <p className="hint">
                <code>{url}</code>
              </p>
            </div>
            <button type="button" aria-label={words.destinations.restoreOf(name)} onClick={() => void restore(id)}>
              {words.destinations.restore}
            </button>
          </li>
        ))}
      </ul>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <MoreButton more={more} />
    </details>
  );
}
