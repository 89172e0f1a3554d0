// The first screen: live streams, incidents with their remedies, the next starts, and credits.
import type { ReactNode } from 'react';
import { Age, Elapsed } from '../app/age.tsx';
import { formatMoment, formatNumber } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { Poster } from '../app/poster.tsx';
import { Link } from '../app/router.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Incident, Page, Stream } from '../app/types.ts';
import { words } from '../words/en.ts';
import { nameOf } from '../streams/stream-name.ts';

const streamsPath = '/streams?limit=100';
const incidentsPath = '/incidents?open=true';
const mostShown = 6;

const isLive = ({ state }: Stream) => state === 'active';
const isWrong = ({ state }: Stream) => state === 'failing' || state === 'failed';

export function HomePage(): ReactNode {
  const streams = useLive<Page<Stream>>(streamsPath);
  return (
    <div className="screen">
      <h1>{words.home.title}</h1>
      <Loaded live={streams} path={streamsPath}>
        {({ data }) => (data.length === 0 ? <Empty /> : <Overview streams={data} />)}
      </Loaded>
    </div>
  );
}

function Empty(): ReactNode {
  return (
    <section>
      <h2>{words.home.emptyTitle}</h2>
      <p>{words.home.emptyText}</p>
      <p>
        <Link className="button primary" href="/streams/new">
          {words.home.begin}
        </Link>
      </p>
    </section>
  );
}

function Overview({ streams }: { readonly streams: readonly Stream[] }): ReactNode {
  const live = streams.filter(isLive);
  const next = streams
    .flatMap((stream) => {
      const [at = stream.state === 'scheduled' ? stream.scheduleStartAt : null] = stream.nextOccurrences;
      return at === null ? [] : [{ stream, at }];
    })
    .toSorted((one, other) => one.at.localeCompare(other.at));
  return (
    <>
      <p className="lead" role="status">
        {sentence(live.length, streams.length)}
      </p>
      <Attention streams={streams.filter(isWrong)} />
      {live.length > 0 && (
        <section aria-labelledby="live">
          <h2 id="live">{words.home.live}</h2>
          <ul className="tiles">
            {live.slice(0, mostShown).map((stream) => (
              <LiveTile key={stream.id} stream={stream} />
            ))}
          </ul>
        </section>
      )}
      {next.length > 0 && (
        <section aria-labelledby="next">
          <h2 id="next">{words.home.next}</h2>
          <ul className="rows">
            {next.slice(0, mostShown).map(({ stream, at }) => (
              <li key={stream.id}>
                <Link href={`/streams/${stream.id}`}>{nameOf(stream)}</Link>
                <span className="hint">{formatMoment(at)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Credits />
      <p>
        <Link className="button" href="/streams/new">
          {words.streams.make}
        </Link>
      </p>
    </>
  );
}

function sentence(live: number, all: number): string {
  if (live === 0) return words.home.nothingLive(all);
  return live === all ? words.home.allLive(all) : words.home.someLive(live, all);
}

/** Incidents with their remedies, and the reasons of failing streams without an incident. */
function Attention({ streams }: { readonly streams: readonly Stream[] }): ReactNode {
  const { data: incidents } = useLive<Page<Incident>>(incidentsPath);
  const reported = incidents?.data ?? [];
  const unreported = streams.filter(({ id }) => reported.every(({ streamID }) => streamID !== id));
  if (reported.length + unreported.length === 0) return <p className="hint">{words.home.calm}</p>;
  return (
    <section aria-labelledby="attention" className="wrong">
      <h2 id="attention">{words.home.attention}</h2>
      <ul className="rows">
        {reported.map((incident) => (
          <li key={incident.id}>
            <div>
              <strong>{incident.detail}</strong>
              <p>{incident.advice}</p>
              <p className="hint">
                {incident.viewers} · <Age at={incident.beganAt} />
              </p>
            </div>
            {incident.streamID !== null && <Open stream={{ id: incident.streamID, name: null }} />}
          </li>
        ))}
        {unreported.map((stream) => (
          <li key={stream.id}>
            <div>
              <strong>{nameOf(stream)}</strong> <StreamBadge {...stream} />
              {stream.stateReason && <p>{stream.stateReason.detail}</p>}
            </div>
            <Open stream={stream} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Open({ stream }: { readonly stream: Pick<Stream, 'id' | 'name'> }): ReactNode {
  return (
    <Link className="button" href={`/streams/${stream.id}`}>
      {words.home.open(stream.name ?? '')}
    </Link>
  );
}

function LiveTile({ stream }: { readonly stream: Stream }): ReactNode {
  return (
    <li>
      <Link href={`/streams/${stream.id}`}>
        {stream.posterURL && <Poster url={stream.posterURL} alt="" />}
        <span>
          <strong>{nameOf(stream)}</strong> <StreamBadge {...stream} />
        </span>
        {stream.startedAt && (
          <span className="hint">
            {words.stream.uptime} <Elapsed since={stream.startedAt} />
          </span>
        )}
      </Link>
    </li>
  );
}

function Credits(): ReactNode {
  const { data } = useLive<{ billing: { creditsLeft: number } }>('/billing/overview', 30_000);
  if (!data) return null;
  return (
    <p>
      <Link href="/billing">
        {words.home.credits}: {formatNumber(data.billing.creditsLeft)}
      </Link>{' '}
      {words.home.creditsLeft}
    </p>
  );
}
