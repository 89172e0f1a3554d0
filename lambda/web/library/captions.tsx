// The captions of a video: a file of captions is added, counted or removed.
import type { ReactNode } from 'react';
import { change } from '../app/live-data.ts';
import type { Upload } from '../app/types.ts';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';

export function Captions({ upload: { id, name, captionCount } }: { readonly upload: Upload }): ReactNode {
  const { attempt: set, error } = useAttempt(async (captionsOf: () => Promise<string | null>) =>
    change('PATCH', `/uploads/${id}`, ['/uploads'], { captions: await captionsOf() }),
  );
  return (
    <details>
      <summary>{words.library.captions(captionCount)}</summary>
      <p className="hint">{words.library.captionsHint}</p>
      <p className="buttons">
        <label className="button">
          {words.library.chooseCaptions}
          <input
            type="file"
            className="hidden"
            accept=".srt,.vtt"
            aria-label={words.library.captionsOf(name)}
            onChange={({ target }) => {
              const file = target.files?.[0];
              if (file) void set(() => textOf(file));
              // Reset, so that the same file can be chosen again after a correction.
              target.value = '';
            }}
          />
        </label>
        {captionCount > 0 && (
          <button
            type="button"
            aria-label={words.library.removeCaptionsOf(name)}
            onClick={() => void set(async () => null)}
          >
            {words.library.removeCaptions}
          </button>
        )}
      </p>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
    </details>
  );
}

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark. Other encodings cannot be detected. */
async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = { '255 254': 'utf-16le', '254 255': 'utf-16be' }[bytes.slice(0, 2).join(' ')] ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(words.library.captionsEncoding);
  }
}
