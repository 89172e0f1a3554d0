// Deleted destinations, with buttons to restore them.
import type { ReactNode } from 'react';
import { change } from '../app/live-data.ts';
import { MoreButton } from '../app/more-button.tsx';
import type { Destination } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { useAttempt } from '../use-attempt.ts';
import { destinationsWords } from '#words/destinations.ts';

const path = '/destinations?archived=true&limit=20';

export function Archived(): ReactNode {
  const { items, more } = usePages<Destination>(path);
  const { attempt: restore, error } = useAttempt((id: string) =>
    change('POST', `/destinations/${id}/restore`, ['/destinations', '/streams']),
  );
  if (items.length === 0) return null;
  return (
    <details>
      <summary>{destinationsWords.archive}</summary>
      <ul className="rows">
        {items.map(({ id, name, url }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong>
              <p className="hint">
                <code>{url}</code>
              </p>
            </div>
            <button type="button" aria-label={destinationsWords.restoreOf(name)} onClick={() => void restore(id)}>
              {destinationsWords.restore}
            </button>
          </li>
        ))}
      </ul>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <MoreButton more={more} />
    </details>
  );
}
