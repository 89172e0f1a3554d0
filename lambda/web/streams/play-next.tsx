// The choice of a file to play next in a stream without a programme.
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { formatTime } from '../app/format.ts';
import { refresh } from '../app/live-data.ts';
import { refusedInWords } from '../app/refused-in-words.ts';
import type { Stream } from '../app/types.ts';
import { Failure } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { NextFile } from './next-file.tsx';
import { words } from '#words';

/** The interval at which a file that is being prepared is offered again. */
const againEveryMs = 5000;

export function PlayNext({ stream: { id } }: { readonly stream: Stream }): ReactNode {
  /** The upload that is being prepared. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const [startsAt, setStartsAt] = useState<string | null>(null);
  const offer = async (wanted: string): Promise<void> => {
    const path = `/streams/${id}/play-next`;
    const send = () => call<{ startsAt: string | null }>('POST', path, { uploadID: wanted });
    const placed = await refusedInWords(words.onAir.refusals, send);
    refresh(`/streams/${id}/timeline`);
    setStartsAt(placed.startsAt);
    setAwaited(placed.startsAt === null ? wanted : null);
  };
  const { attempt: again, error } = useAttempt(async (wanted: string) => {
    setAwaited(null);
    await offer(wanted);
  });
  useEffect(() => {
    if (awaited === null) return;
    const timer = setTimeout(() => void again(awaited), againEveryMs);
    return () => clearTimeout(timer);
  });
  return (
    <section aria-labelledby="play-next">
      <h2 id="play-next">{words.onAir.next}</h2>
      <p className="hint">{words.onAir.nextHint}</p>
      <NextFile play={offer} />
      <p role="status" className="hint">
        {awaited !== null && words.onAir.nextPreparing}
        {startsAt !== null && words.onAir.nextAt(formatTime(startsAt))}
      </p>
      <Failure error={error} />
    </section>
  );
}
