// The state of a stream or an output: a word and a colour, never the colour alone.
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';
import type { Output, Stream } from './types.ts';

type Tone = 'live' | 'moving' | 'wrong' | 'quiet';

const tones: Readonly<Record<Stream['state'] | Output['state'], Tone>> = {
  draft: 'quiet',
  invalid: 'quiet',
  scheduled: 'quiet',
  preparing: 'moving',
  activating: 'moving',
  active: 'live',
  failing: 'wrong',
  failed: 'wrong',
  stopping: 'moving',
  stopped: 'quiet',
  idle: 'quiet',
  connecting: 'moving',
  live: 'live',
  ended: 'quiet',
};

/** @param share how much is prepared, 0 to 1; null where that is not known */
export function StreamBadge({ state, preparedShare: share }: Pick<Stream, 'state' | 'preparedShare'>): ReactNode {
  const done = state === 'preparing' && share !== null ? ` ${Math.floor(share * 100)} %` : '';
  return (
    <span className="badge" data-tone={tones[state]}>
      {words.states[state]}
      {done}
    </span>
  );
}

export function OutputBadge({ state }: Pick<Output, 'state'>): ReactNode {
  return (
    <span className="badge" data-tone={tones[state]}>
      {words.outputStates[state]}
    </span>
  );
}
