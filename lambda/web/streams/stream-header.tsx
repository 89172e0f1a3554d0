// The head of a stream's page: its name and state, its faults and missing parts, and the next action.
import { CircleCheck, Copy, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { Age, Elapsed } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { openIncidentsPath, refresh, useLive } from '../app/live-data.ts';
import { navigate } from '../app/router.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Incident, Page, Stream } from '../app/types.ts';
import { withoutFieldNames } from '../app/without-field-names.ts';
import { Failure } from '../form.tsx';
import { ActionsMenu } from '../kit/actions-menu.tsx';
import { Question } from '../kit/ask.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { useOutputNames } from './place-names.ts';
import { Readiness, useReadiness } from './readiness.tsx';
import { StartAndStop } from './start-and-stop.tsx';
import { nameOf as streamName } from './stream-name.ts';

export function StreamHeader({ stream }: { readonly stream: Stream }): ReactNode {
  // A new stream stays `starting` for half a minute, although its output may already report a failure.
  const failing = stream.outputs.find(({ state }) => state === 'failing');
  const nameOf = useOutputNames();
  const reason = stream.stateReason ?? failing?.reason ?? null;
  /** Which of several outputs the reason is of. */
  const where = stream.stateReason === null && failing && stream.outputs.length > 1 ? `${nameOf(failing)}: ` : '';
  const isWrong = stream.state === 'failing' || stream.state === 'failed' || failing !== undefined;
  return (
    <header className="stream-head">
      <div className="heading">
        <h1>{streamName(stream)}</h1>
        <div className="state">
          {!isLive(stream.state) && <Ready streamID={stream.id} />}
          <StartAndStop stream={stream} />
          <MoreActions stream={stream} />
        </div>
      </div>
      <p role="status" className="is">
        <StreamBadge {...stream} isLarge />
        <Since stream={stream} />
      </p>
      {isOnBackup(stream) && <p className="hint">{words.stream.onBackup}</p>}
      {reason && (
        <div className={isWrong ? 'error' : 'hint'}>
          <p>
            {where}
            {withoutFieldNames(reason.detail)}
          </p>
          {isWrong && <Advice streamID={stream.id} />}
        </div>
      )}
      {!isLive(stream.state) && <Readiness streamID={stream.id} />}
    </header>
  );
}

/** The remedy of the stream's open incident, if there is one. */
function Advice({ streamID }: { readonly streamID: string }): ReactNode {
  const { data } = useLive<Page<Incident>>(openIncidentsPath);
  const incident = data?.data.find((open) => open.streamID === streamID);
  return incident ? <p>{withoutFieldNames(incident.advice)}</p> : null;
}

function Since({ stream }: { readonly stream: Stream }): ReactNode {
  const { state, startedAt, scheduleStartAt, transitions, updatedAt } = stream;
  if (state === 'active' && startedAt)
    return (
      <span className="hint time">
        {words.stream.uptime} <Elapsed since={startedAt} />
      </span>
    );
  if (state === 'scheduled' && scheduleStartAt !== null)
    return <span className="hint">{words.stream.startsAt(formatMoment(scheduleStartAt))}</span>;
  return (
    <span className="hint">
      {words.stream.since} <Age at={transitions[0]?.at ?? updatedAt} />
    </span>
  );
}

/** Whether viewers receive only the backup's feed. */
function isOnBackup({ state, replicas }: Stream): boolean {
  const isAny = (wanted: string) => replicas.some(({ role, state: of }) => role === wanted && of === 'live');
  return state === 'active' && isAny('backup') && !isAny('primary');
}

function Ready({ streamID }: { readonly streamID: string }): ReactNode {
  if (!useReadiness(streamID)?.ready) return null;
  return (
    <span className="ready">
      <CircleCheck aria-hidden />
      {words.stream.ready}
    </span>
  );
}

/** Rare actions: a copy, and the deletion. */
function MoreActions({ stream }: { readonly stream: Stream }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const { attempt: duplicate, error } = useAttempt(async () => {
    const { id } = await call<Stream>('POST', `/streams/${stream.id}/duplicate`, {});
    refresh('/streams?');
    refresh('/playlists?');
    navigate(`/streams/${id}`);
  });
  return (
    <>
      <ActionsMenu
        label={words.stream.more}
        actions={[
          { icon: Copy, name: words.stream.duplicate, onAction: () => void duplicate() },
          { icon: Trash2, name: words.stream.remove, isDisabled: isLive(stream.state), onAction: () => setAsked(true) },
        ]}
      />
      <Question
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        action={words.remove}
        tone="grave"
        question={words.stream.removeAsk(streamName(stream))}
        explanation={words.stream.removeText}
        refuse={words.stream.kept}
        onYes={async () => {
          await call('DELETE', `/streams/${stream.id}`);
          refresh('/streams?');
          navigate('/streams');
        }}
      />
      <Failure error={error} />
    </>
  );
}
