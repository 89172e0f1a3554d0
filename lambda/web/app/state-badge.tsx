// The state of a stream or an output: a word with a colour.
import type { ReactNode } from 'react';
import { words } from '#words';
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

/** @param share of the media that is prepared, 0 to 1; null if unknown */
export function StreamBadge({
  state,
  preparedShare: share,
  isLarge = false,
}: Pick<Stream, 'state' | 'preparedShare'> & { readonly isLarge?: boolean }): ReactNode {
  const done = state === 'preparing' && share !== null ? ` ${Math.floor(share * 100)} %` : '';
  return (
    <span className={isLarge ? 'badge large' : 'badge'} data-tone={tones[state]}>
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
