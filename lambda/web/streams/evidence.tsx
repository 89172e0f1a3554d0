// The evidence that a stream is sending: its publisher's figures with their age, and the latest picture.
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { Age } from '../app/age.tsx';
import { formatBitrate, formatBytes, formatDuration, formatNumber, formatWhole } from '../app/format.ts';
import { useConnection, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { Stream, StreamStats } from '../app/types.ts';
import { words } from '#words';
import { Preview } from './preview.tsx';

const figuresEveryMs = 2000;

interface EvidenceProps {
  readonly stream: Stream;
  /** Whether viewers see a contributor. */
  readonly isTakenOver: boolean;
}

export function Evidence({ stream, isTakenOver }: EvidenceProps): ReactNode {
  const path = `/streams/${stream.id}/stats`;
  const stats = useLive<StreamStats>(path, isLive(stream.state) ? figuresEveryMs : Infinity);
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">{isLive(stream.state) ? words.stream.evidence : words.stream.lastEvidence}</h2>
      <Preview stream={stream} isTakenOver={isTakenOver} />
      <Loaded live={stats} path={path}>
        {(figures) =>
          figures.sampledAt === null ? (
            <p className="hint">{words.stream.noEvidence}</p>
          ) : (
            <FigureList stats={figures} sampledAt={figures.sampledAt} />
          )
        }
      </Loaded>
    </section>
  );
}

function FigureList({ stats, sampledAt }: { readonly stats: StreamStats; readonly sampledAt: string }): ReactNode {
  const { isLost } = useConnection();
  const rows = [
    [words.stream.bitrate, formatBitrate(stats.bitrateKbps)],
    [words.stream.fps, formatNumber(stats.framesPerSecond)],
    [words.stream.uptime, formatDuration(stats.uptimeSeconds)],
    [words.stream.sent, formatBytes(stats.bytesSent)],
    [words.stream.frames, formatWhole(stats.framesSent)],
    [words.stream.dropped, formatWhole(stats.droppedFrames)],
    [words.stream.reconnects, formatWhole(stats.reconnects)],
  ] as const;
  return (
    <dl className="figures" data-old={isLost}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div>
        <dt>{words.stream.sampled}</dt>
        <dd>
          <Age at={sampledAt} />
        </dd>
      </div>
    </dl>
  );
}
