// The broadcasts of a stream on managed platforms: whether each matches its settings, and its health.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { formatMoment, formatWhole } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { Broadcast, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { useAttempt } from '../use-attempt.ts';
import { channelsWords } from '#words/channels.ts';

const everyMs = 10_000;
const tones = { prepared: 'quiet', starting: 'moving', live: 'live', ended: 'quiet', failed: 'wrong' } as const;

export function Broadcasts({ stream }: { readonly stream: Stream }): ReactNode {
  const path = `/streams/${stream.id}/broadcasts?limit=10`;
  return (
    <section aria-labelledby="broadcasts">
      <h2 id="broadcasts">{channelsWords.broadcasts}</h2>
      <Mirror stream={stream} />
      <PagedRows pages={usePages<Broadcast>(path, everyMs)} none={channelsWords.noBroadcasts}>
        {(broadcast) => <Row key={broadcast.id} broadcast={broadcast} />}
      </PagedRows>
    </section>
  );
}

function Mirror({ stream: { id, mirror } }: { readonly stream: Stream }): ReactNode {
  const { attempt: retry, error } = useAttempt(() =>
    change('PATCH', `/streams/${id}`, [`/streams/${id}`], { retryMirror: true }),
  );
  if (mirror === null) return null;
  return (
    <div role="status" className={mirror.state === 'blocked' ? 'error' : ''}>
      <p className="hint">
        {channelsWords.mirror[mirror.state]}
        {mirror.detail !== null && ` ${mirror.detail}`}
        {mirror.retryAt !== null && (
          <>
            {' '}
            {channelsWords.retryAt} <Age at={mirror.retryAt} />
          </>
        )}
      </p>
      {mirror.state === 'blocked' && (
        <button type="button" onClick={() => void retry()}>
          {channelsWords.retryMirror}
        </button>
      )}
      {error !== null && <p className="error">{error}</p>}
    </div>
  );
}

function Row({ broadcast }: { readonly broadcast: Broadcast }): ReactNode {
  const { title, phase, watchURL, scheduledStartAt, liveAt, health, viewers } = broadcast;
  return (
    <li className="tall">
      <div>
        <strong>{title}</strong>
        <p className="hint">
          {formatMoment(liveAt ?? scheduledStartAt)}
          {watchURL !== null && (
            <>
              {' · '}
              <a href={watchURL} rel="noreferrer" target="_blank">
                {channelsWords.watch}
              </a>
            </>
          )}
          {viewers?.now != null && ` · ${channelsWords.viewers(formatWhole(viewers.now))}`}
        </p>
        {health && phase === 'live' && (
          <p className={health.state === 'bad' || health.state === 'no_data' ? 'error' : 'hint'}>
            {channelsWords.healthOf(channelsWords.health[health.state])}
            {health.observedAt !== null && (
              <>
                {' · '}
                <Age at={health.observedAt} />
              </>
            )}
          </p>
        )}
        {health?.issues.map((issue) => (
          <p key={issue.type}>{issue.detail}</p>
        ))}
      </div>
      <p className="state">
        <span className="badge" data-tone={tones[phase]}>
          {channelsWords.phases[phase]}
        </span>
      </p>
    </li>
  );
}
