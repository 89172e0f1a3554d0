// A picture of a stream with a changed look, rendered on request. It does not change the stream.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import type { Stream } from '../app/types.ts';
import { useAttempt } from '../use-attempt.ts';
import { lookWords } from '#words/look.ts';

interface LookPreviewProps {
  readonly streamID: string;
  readonly look: Stream['look'];
}

interface Answer {
  /** Null until the picture is rendered. */
  readonly url: string | null;
}

const askAgainMs = 500;
/** The maximum of requests. A picture takes about a second, and longer if the machine is encoding. */
const mostAsked = 60;

export function LookPreview({ streamID, look }: LookPreviewProps): ReactNode {
  const [picture, setPicture] = useState<string | null>(null);
  const {
    attempt: see,
    error,
    isPending,
  } = useAttempt(async () => {
    const rendered = pictureOf(streamID, look).catch((failure: unknown) => {
      setPicture(null);
      throw failure;
    });
    setPicture(await rendered);
  });
  return (
    <div className="stack">
      <p>
        <button type="button" disabled={isPending} onClick={() => void see()}>
          {lookWords.see}
        </button>
      </p>
      <div role="status">{isPending && <p className="hint">{lookWords.seeing}</p>}</div>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      {picture !== null && (
        <figure>
          <img src={picture} alt={lookWords.seeAlt} />
        </figure>
      )}
    </div>
  );
}

/** The address of the picture. @throws if the look is refused, or the picture is late */
async function pictureOf(streamID: string, look: Stream['look']): Promise<string> {
  for (let asked = 0; asked < mostAsked; asked++) {
    // oxlint-disable-next-line no-await-in-loop -- a picture that is not rendered yet is requested again
    const { url } = await call<Answer>('POST', `/streams/${streamID}/look/preview`, { look });
    if (url !== null) return url;
    // oxlint-disable-next-line no-await-in-loop -- the next request comes after a pause
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
  throw new Error(lookWords.late);
}
