// The programmes of a stream on its page: links to them, the creation of one, and the queue of each.
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { call } from '../app/api.ts';
import { formatTime } from '../app/format.ts';
import { change, refresh, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { refusedInWords } from '../app/refused-in-words.ts';
import { Link, navigate } from '../app/router.tsx';
import type { Page, Programme, QueuedItem, Stream } from '../app/types.ts';
import { Failure, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { NextFile } from '../streams/next-file.tsx';
import { PlayNext } from '../streams/play-next.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';

const programmesOf = (streamID: string) => `/programmes?limit=${playlistKinds.length}&streamID=${streamID}`;

/**
 * The choice of a file that a stream plays next: in the queues of its published programmes, or in its list while it is
 * on the air.
 */
export function QueuesOfStream({ stream }: { readonly stream: Stream }): ReactNode {
  const { data: programmes } = useLive<Page<Programme>>(programmesOf(stream.id));
  const published = programmes?.data.filter(({ liveVersion }) => liveVersion !== null) ?? [];
  const isOnAir = stream.state === 'active' || stream.state === 'failing';
  if (programmes && published.length === 0 && isOnAir) return <PlayNext stream={stream} />;
  return published.map(({ id, kind }) => (
    <section key={id} aria-labelledby={`queue-${kind}`}>
      <h2 id={`queue-${kind}`}>
        {published.length === 1 ? words.onAir.next : `${words.onAir.next}: ${words.playlists.kinds[kind]}`}
      </h2>
      <p className="hint">{words.onAir.nextHint}</p>
      <NextFile play={(uploadID) => change('POST', queueOf(id), [queueOf(id), '/streams'], { uploadID })} />
      <Queue programmeID={id} />
    </section>
  ));
}

export function ProgrammesOfStream({ stream }: { readonly stream: Stream }): ReactNode {
  const path = programmesOf(stream.id);
  const programmes = useLive<Page<Programme>>(path);
  return (
    <section aria-labelledby="programme">
      <h2 id="programme">{words.onAir.programme}</h2>
      <Loaded live={programmes} path={path}>
        {({ data }) => (
          <>
            {data.map((programme) => (
              <OfStream
                key={programme.id}
                programme={programme}
                isOnly={data.length === 1}
                isOnAir={isLive(stream.state)}
              />
            ))}
            {data.length === 0 && <NewProgramme streamID={stream.id} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function NewProgramme({ streamID }: { readonly streamID: string }): ReactNode {
  const make = async ({ kind }: Readonly<Record<string, string>>): Promise<void> => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const { id } = await call<Programme>('POST', '/programmes', { streamID, kind, timeZone });
    refresh('/programmes?');
    navigate(`/programmes/${id}`);
  };
  return (
    <>
      <p className="hint">
        {words.onAir.programmeText} {words.onAir.instead}
      </p>
      <Form action={words.onAir.make} onSubmit={make} className="in-row">
        <Choice
          name="kind"
          label={words.onAir.madeFor}
          options={playlistKinds.map((kind) => [kind, words.playlists.kinds[kind]] as const)}
        />
      </Form>
    </>
  );
}

interface OfStreamProps {
  readonly programme: Programme;
  readonly isOnly: boolean;
  readonly isOnAir: boolean;
}

function OfStream({ programme: { id, kind, liveVersion, planFailure }, isOnly, isOnAir }: OfStreamProps): ReactNode {
  return (
    <>
      {liveVersion === null && <p className="hint">{words.onAir.unpublished}</p>}
      {planFailure && <p className={isOnAir ? 'error' : 'hint'}>{planFailure.detail}</p>}
      <p>
        <Link className="button" href={`/programmes/${id}`}>
          {isOnly ? words.onAir.edit : words.onAir.editOf[kind]}
        </Link>
      </p>
    </>
  );
}

const queueOf = (programmeID: string) => `/programmes/${programmeID}/queue`;

/** The interval of reading a queue, as plans change it and `GET /changes` reports no plans. */
const queueEveryMs = 5000;

function Queue({ programmeID }: { readonly programmeID: string }): ReactNode {
  const path = queueOf(programmeID);
  const queue = useLive<{ readonly data: readonly QueuedItem[] }>(path, queueEveryMs);
  const { attempt: take, error } = useAttempt((id: string) =>
    refusedInWords(words.onAir.refusals, () => change('DELETE', `${path}/${id}`, [path, '/streams'])),
  );
  return (
    <Loaded live={queue} path={path}>
      {({ data }) => (
        <div className="stack">
          <h3>{words.onAir.queue}</h3>
          {data.length === 0 && <p className="hint">{words.onAir.nothingQueued}</p>}
          {data.length > 0 && (
            <ol className="rows">
              {data.map(({ id, name, playsAt }) => (
                <li key={id}>
                  <div>
                    <span className="name">{name}</span>
                    <p className="hint">
                      {playsAt === null ? words.onAir.notPlanned : words.onAir.playsAt(formatTime(playsAt))}
                    </p>
                  </div>
                  <button type="button" aria-label={words.onAir.takeOne(name)} onClick={() => void take(id)}>
                    {words.onAir.take}
                  </button>
                </li>
              ))}
            </ol>
          )}
          <Failure error={error} />
        </div>
      )}
    </Loaded>
  );
}
