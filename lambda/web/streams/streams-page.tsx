// The list of streams: each with its state, how long it has been so, and where it goes.
import type { ReactNode } from 'react';
import { streamStates } from '../../domain/stream-lifecycle.ts';
import { Age } from '../app/age.tsx';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link, setParameter, useParameter } from '../app/router.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Destination, Page, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { words } from '../words/en.ts';
import { nameOf } from './stream-name.ts';

export function StreamsPage(): ReactNode {
  const [search, state] = [useParameter('q'), useParameter('state')];
  const path = `/streams?limit=100${state === '' ? '' : `&state=${encodeURIComponent(state)}`}`;
  const { first, items, more } = usePages<Stream>(path);
  const fitting = items.filter((stream) => nameOf(stream).toLowerCase().includes(search.toLowerCase()));
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.streams.title}</h1>
        <Link className="button primary" href="/streams/new">
          {words.streams.make}
        </Link>
      </div>
      <div className="filters">
        <label>
          <span className="hidden">{words.streams.search}</span>
          <input
            type="search"
            placeholder={words.streams.search}
            defaultValue={search}
            onChange={(event) => setParameter('q', event.target.value)}
          />
        </label>
        <label>
          <span className="hidden">{words.streams.filter}</span>
          <select value={state} onChange={(event) => setParameter('state', event.target.value)}>
            <option value="">{words.streams.all}</option>
            {streamStates.map((each) => (
              <option key={each} value={each}>
                {words.states[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded live={first} path={path}>
        {() =>
          fitting.length === 0 ? <None isFiltered={search !== '' || state !== ''} /> : <Rows streams={fitting} />
        }
      </Loaded>
      <MoreButton more={more} />
    </div>
  );
}

function None({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (!isFiltered) return <p className="hint">{words.streams.empty}</p>;
  const clear = () => {
    setParameter('q', '');
    setParameter('state', '');
  };
  return (
    <p className="hint">
      {words.streams.nothingFits}{' '}
      <button type="button" className="link" onClick={clear}>
        {words.streams.clear}
      </button>
    </p>
  );
}

function Rows({ streams }: { readonly streams: readonly Stream[] }): ReactNode {
  const { data: destinations } = useLive<Page<Destination>>('/destinations?limit=100');
  const nameOfDestination = new Map(destinations?.data.map(({ id, name }) => [id, name]));
  return (
    <>
      <p className="hint" role="status">
        {words.streams.shown(streams.length)}
      </p>
      <ul className="rows long">
        {streams.map((stream) => (
          <li key={stream.id}>
            <div>
              <Link href={`/streams/${stream.id}`}>
                <strong>{nameOf(stream)}</strong>
              </Link>
              <p className="hint">
                {stream.destinationID === null
                  ? words.streams.nowhere
                  : words.streams.to(nameOfDestination.get(stream.destinationID) ?? '…')}
                {stream.stateReason && ` · ${stream.stateReason.detail}`}
              </p>
            </div>
            <p className="state">
              <StreamBadge {...stream} />{' '}
              <span className="hint">
                <Age at={stream.transitions[0]?.at ?? stream.updatedAt} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
