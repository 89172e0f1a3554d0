// Starts and stops a stream. The new state is shown only once the API confirms it.
import type { ReactNode } from 'react';
import { liveStates } from '../../domain/streams/stream-lifecycle.ts';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { formatNumber } from '../app/format.ts';
import { refresh, show } from '../app/live-data.ts';
import type { Stream } from '../app/types.ts';
import { words } from '#words';
import { useReadiness } from './readiness.tsx';
import { nameOf } from './stream-name.ts';

export function StartAndStop({ stream }: { readonly stream: Stream }): ReactNode {
  const name = nameOf(stream);
  const isStarted = liveStates.includes(stream.state);
  const isReady = useReadiness(isStarted ? null : stream.id)?.ready !== false;
  const move = async (what: 'start' | 'stop', body?: object): Promise<void> => {
    const moved = await call<Stream>('POST', `/streams/${stream.id}/${what}`, body);
    show(`/streams/${stream.id}`, moved);
    refresh('/streams?');
  };
  if (isStarted)
    return (
      <Ask
        action={words.stream.stop}
        tone="grave"
        question={words.stream.stopAsk(name)}
        explanation={stream.recurrence === null ? words.stream.stopText : words.stream.stopTextRecurring}
        refuse={words.stream.keep}
        isDisabled={stream.state === 'stopping'}
        onYes={() => move('stop')}
        {...(stream.recurrence !== null && {
          other: { action: words.stream.stopForGood, onYes: () => move('stop', { endsRecurrence: true }) },
        })}
      />
    );
  return (
    <Ask
      action={words.stream.start}
      tone={isReady ? 'primary' : 'plain'}
      question={words.stream.startAsk(name)}
      explanation={words.stream.startText(formatNumber(stream.creditsPerHour))}
      refuse={words.stream.notNow}
      onYes={() => move('start')}
    />
  );
}
