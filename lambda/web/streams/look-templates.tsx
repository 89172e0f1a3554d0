// Looks to begin with: the bare picture, titles, or titles with a clock; with a logo, and the joins of songs.
import type { ReactNode } from 'react';
import { usualClock, usualLogo, usualTheme, usualTitle } from '../../domain/playout/overlays.ts';
import type { Stream } from '../app/types.ts';
import { words } from '#words';
import { locale } from '../app/locale.ts';
import type { StreamChanges } from './draft-stream.ts';
import { LogoChoice } from './logo-choice.tsx';
import { LookPreview } from './look-preview.tsx';
import { SoundJoinChoice } from './sound-join-choice.tsx';

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

/** @param logo stays with any look */
function overlaysOf(template: Template, logo: Overlays['logo']): Overlays | null {
  if (template === 'plain') return logo && { ...bare, logo };
  const titles = { ...bare, logo, title: usualTitle };
  if (template === 'titles') return titles;
  const place = logo?.place === 'topRight' ? 'topLeft' : 'topRight';
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { ...titles, clock: { ...usualClock, place, timeZone, language: locale } };
}

function templateOf({ overlays }: Stream['look']): Template {
  if (!overlays?.title) return 'plain';
  return overlays.clock ? 'clock' : 'titles';
}

/** @param uploadID null: without a logo */
export function withLogo(look: Stream['look'], uploadID: string | null): Stream['look'] {
  const logo = uploadID === null ? null : { ...usualLogo, ...look.overlays?.logo, uploadID };
  return { ...look, overlays: overlaysOf(templateOf(look), logo) };
}

interface LookTemplatesProps {
  readonly stream: Stream;
  readonly hasMusic: boolean;
  readonly onChoose: (changes: StreamChanges) => void;
}

export function LookTemplates({ stream, hasMusic, onChoose }: LookTemplatesProps): ReactNode {
  const { look, sound } = stream;
  const chosen = templateOf(look);
  const logo = look.overlays?.logo ?? null;
  const chooseLogo = (uploadID: string | null) => onChoose({ look: withLogo(look, uploadID) });
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
              onChange={() => onChoose({ look: { ...look, overlays: overlaysOf(template, logo) } })}
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
      <div className="in-row form">
        <LogoChoice uploadID={logo?.uploadID ?? null} onChange={chooseLogo} />
        {hasMusic && <SoundJoinChoice sound={sound} onChange={(changed) => onChoose({ sound: changed })} />}
      </div>
      <LookPreview key={JSON.stringify(stream.look)} streamID={stream.id} look={stream.look} />
    </>
  );
}
