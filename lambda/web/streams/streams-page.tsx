// The list of streams: each with its state, the time in this state, and its destinations.
import { Plus } from 'lucide-react';
import { memo } from 'react';
import type { ReactNode } from 'react';
import { streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { Age, Elapsed } from '../app/age.tsx';
import { formatMoment } from '../app/format.ts';
import { Loaded } from '../app/loaded.tsx';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link, setParameter, useParameter } from '../app/router.tsx';
import { SearchField } from '../app/search-field.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { withoutFieldNames } from '../app/without-field-names.ts';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { usePlaceNames } from './place-names.ts';
import { Still } from './still.tsx';
import { nameOf } from './stream-name.ts';

/** An option of the state filter that is not a state. */
const attention = 'attention';

export function StreamsPage(): ReactNode {
  const [search, state] = [useParameter('q'), useParameter('state')];
  const path = `/streams?${parametersOf(search, state)}`;
  const { first, items, more } = usePages<Stream>(path);
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.streams.title}</h1>
        <Link className="button primary" href="/streams/new">
          <Plus aria-hidden />
          {words.streams.make}
        </Link>
      </div>
      <div className="filters">
        <SearchField label={words.streams.search} value={search} onSearch={(text) => setParameter('q', text)} />
        <Choice
          name="state"
          label={words.streams.filter}
          isLabelHidden
          value={state}
          onChange={(value) => setParameter('state', value)}
          options={[
            ['', words.streams.all],
            [attention, words.streams.attention],
            ...streamStates.map((each) => [each, words.states[each]] as const),
          ]}
        />
      </div>
      <Loaded live={first} path={path}>
        {() => (items.length === 0 ? <None isFiltered={search !== '' || state !== ''} /> : <Rows streams={items} />)}
      </Loaded>
      <MoreButton more={more} isEager />
    </div>
  );
}

function parametersOf(search: string, state: string): URLSearchParams {
  const parameters = new URLSearchParams({ limit: '100' });
  if (search !== '') parameters.set('q', search);
  if (state === attention) parameters.set('needsAttention', 'true');
  else if (state !== '') parameters.set('state', state);
  return parameters;
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
  const placesOf = usePlaceNames(streams);
  return (
    <>
      <p className="hint" role="status">
        {words.streams.shown(streams.length)}
      </p>
      <LongList items={streams}>{(stream) => <Row stream={stream} places={placesOf(stream).join(', ')} />}</LongList>
    </>
  );
}

interface RowProps {
  readonly stream: Stream;
  /** The names of the places that it goes to; empty: none is chosen. */
  readonly places: string;
}

interface SinceProps {
  readonly stream: Stream;
}

const Row = memo(ShownRow);

function ShownRow({ stream, places }: RowProps): ReactNode {
  return (
    <>
      <Still stream={stream} isSmall />
      <div>
        <Link href={`/streams/${stream.id}`} className="title">
          {nameOf(stream)}
        </Link>
        <p className="hint">
          {places === '' ? words.streams.nowhere : words.streams.to(places)}
          {stream.stateReason && ` · ${withoutFieldNames(stream.stateReason.detail)}`}
        </p>
      </div>
      <p className="state">
        <span className="hint time">
          <Since stream={stream} />
        </span>
        <StreamBadge {...stream} />
      </p>
    </>
  );
}

/** The time in the state, or the time of the planned start. */
function Since({ stream: { state, startedAt, scheduleStartAt, transitions, updatedAt } }: SinceProps): ReactNode {
  if (state === 'active' && startedAt) return <Elapsed since={startedAt} />;
  if (state === 'scheduled' && scheduleStartAt !== null) return formatMoment(scheduleStartAt);
  return <Age at={transitions[0]?.at ?? updatedAt} />;
}
