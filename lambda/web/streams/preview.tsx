// The preview of a stream: a recent picture, and on request video with sound.
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { call, serviceNow } from '../app/api.ts';
import { Poster } from '../app/poster.tsx';
import type { Stream } from '../app/types.ts';
import { words } from '#words';
import { liveWords } from '#words/live.ts';
import { nameOf } from './stream-name.ts';

interface Link {
  readonly playlistURL: string;
  readonly expiresAt: string;
}

type Shown = 'picture' | 'asked' | 'failed' | 'undecodable' | 'over' | Link;

interface PreviewProps {
  readonly stream: Stream;
  /** Whether viewers see a contributor. There is no picture of that, but video. */
  readonly isTakenOver: boolean;
}

export function Preview({ stream, isTakenOver }: PreviewProps): ReactNode {
  const [shown, setShown] = useState<Shown>('picture');
  const [refusal, setRefusal] = useState<string | null>(null);
  const isPlaying = typeof shown === 'object';
  const isActive = stream.state === 'active';
  useEffect(() => {
    if (!isActive) setShown('picture');
  }, [isActive]);
  const watch = async (): Promise<void> => {
    setShown('asked');
    setRefusal(null);
    try {
      setShown(await call<Link>('POST', `/streams/${stream.id}/preview`, undefined, { isRepeatable: true }));
    } catch (error) {
      setRefusal((error as Error).message);
      setShown('picture');
    }
  };
  if (!stream.posterURL && !isActive) return null;
  return (
    <figure className="preview">
      {isPlaying ? (
        <Player link={shown} name={nameOf(stream)} onEnd={setShown} />
      ) : (
        stream.posterURL &&
        !isTakenOver && <Poster url={stream.posterURL} alt={words.stream.pictureAlt(nameOf(stream))} />
      )}
      <figcaption className="hint">
        <span>{captionOf(stream, isPlaying, isTakenOver)}</span>
        {isActive && (
          <button
            type="button"
            disabled={shown === 'asked'}
            onClick={() => void (isPlaying ? setShown('picture') : watch())}
          >
            {isPlaying ? words.stream.endWatching : words.stream.watch}
          </button>
        )}
      </figcaption>
      <div role="status">
        {refusal !== null && <p className="error">{refusal}</p>}
        {(shown === 'failed' || shown === 'undecodable' || shown === 'over') && (
          <p className="hint">{words.stream.watchEnds[shown]}</p>
        )}
      </div>
    </figure>
  );
}

function captionOf({ look }: Stream, isPlaying: boolean, isTakenOver: boolean): string {
  if (isPlaying) return words.stream.moving;
  if (isTakenOver) return liveWords.noPicture;
  return words.stream[look.overlays ? 'pictureBare' : 'picture'];
}

interface PlayerProps {
  readonly link: Link;
  readonly name: string;
  readonly onEnd: (why: 'failed' | 'undecodable' | 'over') => void;
}

/** Muted at first, because browsers block unmuted automatic playback. */
function Player({ link, name, onEnd }: PlayerProps): ReactNode {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    let end = () => {};
    let isGone = false;
    const begin = async (): Promise<void> => {
      const { play } = await import('./player.ts');
      if (!isGone)
        end = play(video.current!, link.playlistURL, (isUndecodable) =>
          onEnd(isUndecodable ? 'undecodable' : 'failed'),
        );
    };
    begin().catch(() => onEnd('failed'));
    // The preview ends when its link expires, so that a forgotten page does not receive video forever.
    const timer = setTimeout(() => onEnd('over'), Date.parse(link.expiresAt) - serviceNow());
    return () => {
      isGone = true;
      clearTimeout(timer);
      end();
    };
  }, [link, onEnd]);
  return <video ref={video} muted autoPlay playsInline controls aria-label={words.stream.pictureAlt(name)} />;
}
