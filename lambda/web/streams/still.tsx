// A recent picture of a stream with its state.
import { ImageOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Poster } from '../app/poster.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Stream } from '../app/types.ts';

interface StillProps {
  readonly stream: Pick<Stream, 'posterURL' | 'state' | 'preparedShare'>;
  /** Small stills, of lists, have no badge. */
  readonly isSmall?: boolean;
}

export function Still({ stream, isSmall = false }: StillProps): ReactNode {
  return (
    <span className={isSmall ? 'still small' : 'still'}>
      {!isSmall && (
        <span className="none">
          <ImageOff aria-hidden />
        </span>
      )}
      {stream.posterURL && <Poster url={stream.posterURL} alt="" />}
      {!isSmall && <StreamBadge {...stream} />}
    </span>
  );
}
