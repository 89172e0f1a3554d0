// A dialog with the picture of a row of the timeline, at any time within it.
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { formatDuration, formatTime } from '../app/format.ts';
import type { TimelineRow } from '../app/types.ts';
import { Sheet } from '../kit/sheet.tsx';
import { words } from '#words';
import { guideWords } from '#words/guide.ts';
import { titleOf } from './now-playing.tsx';

const pictureWidthPx = 640;
/** A picture takes about a second to make, so it is asked for once the slider rests. */
const restMs = 300;
/** The wait before a picture that is still being made is asked for again, and the most requests for it. */
const askAgainMs = 2000;
const mostAsks = 30;

interface FrameSheetProps {
  readonly streamID: string;
  readonly row: TimelineRow;
  readonly onClose: () => void;
}

export function FrameSheet({ streamID, row, onClose }: FrameSheetProps): ReactNode {
  const { startAt, endAt, aired } = row;
  const [from, to] = [Date.parse(startAt), Date.parse(endAt)];
  const lengthSeconds = Math.max(0, Math.floor((to - from) / 1000));
  const [seconds, setSeconds] = useState(Math.min(1, lengthSeconds));
  const [shownSeconds, setShown] = useState(seconds);
  useEffect(() => {
    const timer = setTimeout(() => setShown(seconds), restMs);
    return () => clearTimeout(timer);
  }, [seconds]);
  const at = (second: number) => from + second * 1000;
  return (
    <Sheet title={titleOf(row)} isOpen onClose={onClose} dismiss={words.close}>
      <Picture
        key={shownSeconds}
        source={`/v1/streams/${streamID}/frame?at=${new Date(at(shownSeconds)).toISOString()}&width=${pictureWidthPx}`}
        name={guideWords.frameAlt(titleOf(row), formatTime(at(shownSeconds)))}
      />
      <label className="field">
        <span className="label">
          {guideWords.frameAt}: {formatDuration(seconds)} · {formatTime(at(seconds))}
        </span>
        <input
          type="range"
          min={0}
          max={lengthSeconds}
          value={seconds}
          aria-valuetext={formatTime(at(seconds))}
          onChange={(event) => setSeconds(Number(event.target.value))}
        />
      </label>
      <p className="hint">{guideWords.frameText}</p>
      {aired !== null && aired.length > 0 && (
        <p>
          {guideWords.sentBetween}:{' '}
          {aired.map(({ fromSeconds, toSeconds }) => spanOf(fromSeconds, toSeconds)).join(', ')}
        </p>
      )}
    </Sheet>
  );
}

const spanOf = (fromSeconds: number, toSeconds: number) =>
  `${formatDuration(fromSeconds)} – ${formatDuration(toSeconds)}`;

/**
 * The picture, or a text: it is still being made, as workers are busy, or the API has none, because its file is deleted
 * or nothing was due.
 */
function Picture({ source, name }: { readonly source: string; readonly name: string }): ReactNode {
  const [state, setState] = useState<'asked' | 'waits' | 'missing'>('asked');
  const [asks, setAsks] = useState(1);
  useEffect(() => {
    if (state !== 'waits') return;
    const timer = setTimeout(() => {
      setAsks(asks + 1);
      setState('asked');
    }, askAgainMs);
    return () => clearTimeout(timer);
  }, [state, asks]);
  const fail = async (): Promise<void> => setState(asks < mostAsks && (await isToCome(source)) ? 'waits' : 'missing');
  return (
    <div className="still">
      {state === 'asked' && <img src={source} alt={name} onError={() => void fail()} />}
      {state === 'waits' && (
        <p className="none" role="status">
          {guideWords.framePending}
        </p>
      )}
      {state === 'missing' && <p className="none">{guideWords.frameFailed}</p>}
    </div>
  );
}

/** Whether a picture that could not be loaded is being made, or has been made since. */
async function isToCome(source: string): Promise<boolean> {
  const answer = await fetch(source, { redirect: 'manual' }).catch(() => null);
  return answer !== null && (answer.type === 'opaqueredirect' || answer.status >= 500 || answer.status === 429);
}
