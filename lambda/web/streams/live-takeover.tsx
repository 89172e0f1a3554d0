// The takeover of a stream: the time at which viewers see the contributor or the loop, by the second.
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { formatDuration, formatMoment, formatTime } from '../app/format.ts';
import { refresh } from '../app/live-data.ts';
import { useNow } from '../app/now.ts';
import { refusedInWords } from '../app/refused-in-words.ts';
import type { LiveInput, Stream, StreamTakeover } from '../app/types.ts';
import { Ask } from '../kit/ask.tsx';
import { liveWords } from '#words/live.ts';
import { useTakeover } from './use-takeover.ts';

interface LiveTakeoverProps {
  readonly stream: Stream;
  readonly inputs: readonly LiveInput[];
}

export function LiveTakeover({ stream, inputs }: LiveTakeoverProps): ReactNode {
  const streamID = stream.id;
  const takeover = useTakeover(stream);
  const now = useNow();
  if (takeover === null) return null;
  const input = inputs.find(({ id }) => id === takeover.liveInputID);
  const { name = liveWords.deletedInput, slateUploadID = null } = input ?? {};
  const text = takeoverWords(takeover, { name, hasSlate: slateUploadID !== null }, now);
  if (text === null) return null;
  const handBack = async (): Promise<void> => {
    await refusedInWords(liveWords.refusals, () => call('POST', `/streams/${streamID}/hand-back`));
    refresh(`/streams/${streamID}`);
    refresh('/live-inputs');
  };
  return (
    <section className="made">
      <p>{text}</p>
      {takeover.state !== 'lost' && takeover.state !== 'ending' && takeover.endAt !== null && (
        <p>{liveWords.endsAt(formatTime(takeover.endAt))}</p>
      )}
      {takeover.state !== 'ending' && (
        <p>
          <Ask
            action={takeover.shownAt === null ? liveWords.cancelPlan : liveWords.handBack}
            question={takeover.shownAt === null ? liveWords.cancelPlanAsk : liveWords.handBackAsk}
            explanation={takeover.shownAt === null ? liveWords.cancelPlanText : liveWords.handBackText}
            refuse={liveWords.stay}
            onYes={handBack}
          />
        </p>
      )}
    </section>
  );
}

/** The present and the next sight of viewers; null: they see the loop, and no takeover is open. */
function takeoverWords(
  takeover: StreamTakeover,
  { name, hasSlate }: { readonly name: string; readonly hasSlate: boolean },
  now: number,
): string | null {
  const { state, startAt, shownAt, returnsAt } = takeover;
  const secondsTo = (at: string) => Math.ceil((Date.parse(at) - now) / 1000);
  const isReturned = returnsAt !== null && Date.parse(returnsAt) <= now;
  if (state === 'lost')
    return isReturned || returnsAt === null
      ? liveWords.lost(name)
      : liveWords[hasSlate ? 'lostToSlate' : 'lostAt'](name, formatTime(returnsAt), secondsTo(returnsAt));
  if (state === 'ending')
    return isReturned || returnsAt === null ? null : liveWords.returnsAt(formatTime(returnsAt), secondsTo(returnsAt));
  if (shownAt === null)
    return startAt !== null && Date.parse(startAt) > now
      ? liveWords.plannedAt(name, formatMoment(startAt))
      : liveWords.waitsFor(name);
  if (Date.parse(shownAt) > now) return liveWords.seesAt(name, formatTime(shownAt), secondsTo(shownAt));
  return liveWords.seesSince(name, formatTime(shownAt), formatDuration((now - Date.parse(shownAt)) / 1000));
}
