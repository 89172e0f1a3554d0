// Three looks to begin with: the bare picture, titles, and titles with a clock.
import type { ReactNode } from 'react';
import { usualClock, usualTheme, usualTitle } from '../../domain/playout/overlays.ts';
import type { Stream } from '../app/types.ts';
import { words } from '../words/en.ts';
import type { StreamChanges } from './draft-stream.ts';
import { LookPreview } from './look-preview.tsx';

type Overlays = NonNullable<Stream['look']['overlays']>;
type Template = keyof typeof words.make.looks;

const bare: Overlays = {
  logo: null,
  title: null,
  next: null,
  captions: null,
  clock: null,
  ticker: null,
  theme: usualTheme,
};

function overlaysOf(template: Template): Overlays | null {
  if (template === 'plain') return null;
  const titles = { ...bare, title: usualTitle };
  if (template === 'titles') return titles;
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  return { ...titles, clock: { ...usualClock, place: 'topRight', timeZone, language: locale } };
}

function templateOf({ overlays }: Stream['look']): Template {
  if (!overlays?.title) return 'plain';
  return overlays.clock ? 'clock' : 'titles';
}

interface LookTemplatesProps {
  readonly stream: Stream;
  readonly onChoose: (changes: StreamChanges) => void;
}

export function LookTemplates({ stream, onChoose }: LookTemplatesProps): ReactNode {
  const chosen = templateOf(stream.look);
  return (
    <>
      <fieldset className="looks">
        <legend className="hidden">{words.make.look}</legend>
        {(Object.keys(words.make.looks) as Template[]).map((template) => (
          <label key={template} data-look={template}>
            <input
              type="radio"
              name="look"
              checked={template === chosen}
              onChange={() => onChoose({ look: { ...stream.look, overlays: overlaysOf(template) } })}
            />
            <span className="sketch" aria-hidden="true">
              <i />
              <b />
            </span>
            <span>
              <strong>{words.make.looks[template].name}</strong>
              <span className="hint">{words.make.looks[template].text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <LookPreview key={JSON.stringify(stream.look)} streamID={stream.id} look={stream.look} />
    </>
  );
}
