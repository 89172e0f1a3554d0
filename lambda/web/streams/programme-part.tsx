// The part “Programme” of a stream: its pictures, its music, and programmes that plan them.
import type { ReactNode } from 'react';
import { useLive } from '../app/live-data.ts';
import type { Page, Playlist, Stream } from '../app/types.ts';
import { ProgrammesOfStream } from '../programmes/programmes-of-stream.tsx';
import { PublicGuide } from './public-guide.tsx';
import { TrackSource } from './track-source.tsx';

export function ProgrammePart({ stream }: { readonly stream: Stream }): ReactNode {
  const { data: playlists } = useLive<Page<Playlist>>(`/playlists?limit=100&streamID=${stream.id}`);
  return (
    <>
      <div className="columns">
        {playlists && <TrackSource stream={stream} kind="video" playlists={playlists.data} />}
        {playlists && <TrackSource stream={stream} kind="audio" playlists={playlists.data} />}
      </div>
      <ProgrammesOfStream stream={stream} />
      <PublicGuide streamID={stream.id} />
    </>
  );
}
