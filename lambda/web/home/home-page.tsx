// The first screen: the numbers that matter, incidents with their remedies, and a wall of streams.
import { CalendarClock, Plus, RadioTower, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { Age, Elapsed } from '../app/age.tsx';
import { serviceNow } from '../app/api.ts';
import { formatMoment, formatNumber, formatWhole } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { Link } from '../app/router.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Incident, Occurrence, Page, Stream, StreamCount } from '../app/types.ts';
import { withoutFieldNames } from '../app/without-field-names.ts';
import { Empty } from '../kit/empty.tsx';
import { useBalance } from '../billing/balance.ts';
import { Numbers } from '../kit/numbers.tsx';
import { NowPlaying } from '../streams/now-playing.tsx';
import { usePlaceNames } from '../streams/place-names.ts';
import { Still } from '../streams/still.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '#words';

/** Stills are read again every few seconds. */
const mostShown = 12;
const streamsPath = `/streams?limit=${mostShown}`;
const wrongPath = `${streamsPath}&needsAttention=true`;
const livePath = `${streamsPath}&state=active&state=activating&state=preparing&state=stopping`;
const countPath = '/streams/count';
/** The runs of the next week. */
const runsPath = '/schedule/occurrences';
const runsEveryMs = 60_000;
const incidentsPath = '/incidents?open=true';

const isLive = ({ state }: Stream) => state === 'active';
const isWrong = ({ state }: Stream) => state === 'failing' || state === 'failed';
/** Streams that need a person come first, then those on the air, then those that will be. */
const ranks: Partial<Record<Stream['state'], number>> = {
  failing: 0,
  failed: 0,
  active: 1,
  activating: 2,
  preparing: 2,
  stopping: 2,
  scheduled: 3,
};
const rankOf = ({ state }: Stream) => ranks[state] ?? 4;

export function HomePage(): ReactNode {
  const streams = useLive<Page<Stream>>(streamsPath);
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.home.title}</h1>
        {streams.data?.data.length !== 0 && (
          <Link className="button primary" href="/streams/new">
            <Plus aria-hidden />
            {words.streams.make}
          </Link>
        )}
      </div>
      <Loaded live={streams} path={streamsPath}>
        {({ data }) => (data.length === 0 ? <First /> : <Overview newest={data} />)}
      </Loaded>
    </div>
  );
}

function First(): ReactNode {
  return (
    <Empty icon={<RadioTower aria-hidden />} title={words.home.emptyTitle} text={words.home.emptyText}>
      <Link className="button primary" href="/streams/new">
        {words.home.begin}
      </Link>
    </Empty>
  );
}

/** @param newest the streams that were made last; an account may have thousands, so others are read by their states */
function Overview({ newest }: { readonly newest: readonly Stream[] }): ReactNode {
  const { data: incidents } = useLive<Page<Incident>>(incidentsPath);
  const { data: count } = useLive<StreamCount>(countPath);
  const { data: wrong } = useLive<Page<Stream>>(wrongPath);
  const { data: live } = useLive<Page<Stream>>(livePath);
  const known = [...(wrong?.data ?? []), ...(live?.data ?? []), ...newest];
  const streams = [...new Map(known.map((stream) => [stream.id, stream])).values()];
  const shown = streams.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, mostShown);
  const placesOf = usePlaceNames(shown);
  return (
    <>
      <Figures count={count ?? null} incidents={incidents?.data.length ?? null} />
      <Attention streams={streams.filter(isWrong)} incidents={incidents?.data ?? []} />
      <ul className="tiles" aria-label={words.streams.title}>
        {shown.map((stream) => (
          <Tile key={stream.id} stream={stream} places={placesOf(stream)} />
        ))}
      </ul>
      {count && count.count > shown.length && (
        <p>
          <Link href="/streams">{words.home.all(count.count)}</Link>
        </p>
      )}
    </>
  );
}

interface FiguresProps {
  /** Null: not known yet. */
  readonly count: StreamCount | null;
  /** The number of open incidents; null: not known yet. */
  readonly incidents: number | null;
}

function Figures({ count, incidents }: FiguresProps): ReactNode {
  const { data } = useBalance();
  const { data: runs } = useLive<{ readonly data: readonly Occurrence[] }>(runsPath, runsEveryMs);
  const live = count?.states.find(({ state }) => state === 'active')?.count ?? 0;
  const next = runs?.data.find(({ startAt, isSkipped }) => !isSkipped && Date.parse(startAt) > serviceNow());
  return (
    <Numbers
      numbers={[
        {
          name: words.home.live,
          value: <span role="status">{count ? words.home.liveOf(live, count.count) : '…'}</span>,
        },
        { name: words.home.incidents, value: incidents ?? '…', remark: incidents === 0 && words.home.calm },
        {
          name: words.home.credits,
          value: data ? formatWhole(data.billing.creditsLeft) : '…',
          remark: data && words.home.perHour(formatNumber(data.billing.creditsPerHour)),
        },
        {
          name: words.home.next,
          value: next ? <Age at={next.startAt} /> : words.home.noStart,
          remark: next ? `${nameOf({ name: next.streamName })} · ${formatMoment(next.startAt)}` : words.home.withinWeek,
        },
      ]}
    />
  );
}

interface AttentionProps {
  readonly streams: readonly Stream[];
  readonly incidents: readonly Incident[];
}

/** Incidents with their remedies, and the reasons of failing streams without an incident. */
function Attention({ streams, incidents }: AttentionProps): ReactNode {
  const unreported = streams.filter(({ id }) => incidents.every(({ streamID }) => streamID !== id));
  if (incidents.length + unreported.length === 0) return null;
  return (
    <section aria-labelledby="attention" className="wrong">
      <h2 id="attention">{words.home.attention}</h2>
      <ul className="rows">
        {incidents.map((incident) => (
          <li key={incident.id} className="tall">
            <div>
              <strong>{withoutFieldNames(incident.detail)}</strong>
              <p>{withoutFieldNames(incident.advice)}</p>
              <p className="hint">
                {incident.viewers} · <Age at={incident.beganAt} />
              </p>
            </div>
            {incident.streamID !== null && <Open stream={{ id: incident.streamID, name: null }} />}
            {incident.kind === 'credits_low' && (
              <Link className="button" href="/billing">
                {words.navigation.billing}
              </Link>
            )}
          </li>
        ))}
        {unreported.map((stream) => (
          <li key={stream.id}>
            <div>
              <strong>{nameOf(stream)}</strong> <StreamBadge {...stream} />
              {stream.stateReason && <p>{withoutFieldNames(stream.stateReason.detail)}</p>}
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

interface TileProps {
  readonly stream: Stream;
  /** The names of the places that it goes to. */
  readonly places: readonly string[];
}

function Tile({ stream, places }: TileProps): ReactNode {
  return (
    <li>
      <Link href={`/streams/${stream.id}`}>
        <Still stream={stream} />
        <span className="top">
          <strong>{nameOf(stream)}</strong>
          {isLive(stream) && stream.startedAt && (
            <span className="hint time">
              <Elapsed since={stream.startedAt} />
            </span>
          )}
        </span>
        {isLive(stream) && <NowPlaying streamID={stream.id} />}
        {!isLive(stream) && stream.scheduleStartAt !== null && (
          <span className="playing">
            <CalendarClock aria-hidden />
            <span>{formatMoment(stream.scheduleStartAt)}</span>
          </span>
        )}
        <span className="playing">
          <Send aria-hidden />
          <span>{places.length === 0 ? words.streams.nowhere : places.join(', ')}</span>
        </span>
      </Link>
    </li>
  );
}
