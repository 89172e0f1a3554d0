// The sound and look of a stream: loudness, joins, framing, logo and titles, with a preview before saving.
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { aspects, pictureEffects, pictureJoinSeconds } from '../../domain/playout/look.ts';
import { joinSeconds } from '../../domain/playout/sound.ts';
import { call } from '../app/api.ts';
import { refresh, show } from '../app/live-data.ts';
import type { Stream } from '../app/types.ts';
import { Field, Form, NumberField } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { lookWords } from '#words/look.ts';
import { framingOptions, loudnessOptions, pictureJoinOptions } from './look-options.ts';
import { LookPreview } from './look-preview.tsx';
import { OverlayFields } from './overlay-fields.tsx';
import { SoundJoinChoice } from './sound-join-choice.tsx';
import { StingerFields } from './stinger-fields.tsx';

type Look = Stream['look'];
type Sound = Stream['sound'];

export function SoundAndLook({ stream }: { readonly stream: Stream }): ReactNode {
  const pending = (stream.pendingLook ?? 0) + (stream.pendingSound ?? 0);
  return (
    <section aria-labelledby="look">
      <h2 id="look">{lookWords.title}</h2>
      <p className="hint" role="status">
        {isLive(stream.state) && lookWords.nextItem} {pending > 0 && lookWords.pending(pending)}
      </p>
      {/* The form is reset when the settings change elsewhere, so that it never shows or saves outdated values. */}
      <Editor key={JSON.stringify([stream.look, stream.sound])} stream={stream} />
    </section>
  );
}

/** A stream that is read again has new objects with the same settings. */
const isEqual = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

function Editor({ stream }: { readonly stream: Stream }): ReactNode {
  const [look, setLook] = useState(stream.look);
  const [sound, setSound] = useState(stream.sound);
  const path = `/streams/${stream.id}`;
  const [isSameLook, isSameSound] = [isEqual(look, stream.look), isEqual(sound, stream.sound)];
  const save = async (): Promise<void> => {
    // Unchanged settings are not sent, because another user may have changed them meanwhile.
    const changes = { ...(!isSameLook && { look }), ...(!isSameSound && { sound }) };
    show(path, await call('PATCH', path, changes));
    refresh('/streams?');
  };
  return (
    <div className="look-editor">
      <Form action={lookWords.save} onSubmit={save} className="groups" isDisabled={isSameLook && isSameSound}>
        <Group name={lookWords.groups.sound}>
          <SoundFields sound={sound} onChange={setSound} />
        </Group>
        <Group name={lookWords.groups.picture}>
          <PictureFields look={look} isLocked={isLive(stream.state)} onChange={setLook} />
        </Group>
        <Group name={lookWords.groups.overlays}>
          <OverlayFields overlays={look.overlays} onChange={(overlays) => setLook({ ...look, overlays })} />
        </Group>
      </Form>
      <LookPreview streamID={stream.id} look={look} />
    </div>
  );
}

/** Fields that belong together, under their name. */
function Group({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      <div className="in-row form">{children}</div>
    </div>
  );
}

interface SoundFieldsProps {
  readonly sound: Sound;
  readonly onChange: (sound: Sound) => void;
}

/** From the full level of music to hardly noticeable, in dB. */
const usualGains = [0, -6, -12, -18, -24];

function SoundFields({ sound, onChange }: SoundFieldsProps): ReactNode {
  const { loudness, join, under } = sound;
  const gains = [...new Set([...usualGains, under.gainDB])];
  return (
    <>
      <Choice
        name="loudness"
        label={lookWords.loudness}
        value={loudness.enabled ? String(loudness.targetLUFS) : ''}
        options={[...loudnessOptions(loudness.targetLUFS), ['', lookWords.loudnessOff]]}
        onChange={(lufs) => {
          const chosen = lufs === '' ? { enabled: false } : { enabled: true, targetLUFS: Number(lufs) };
          onChange({ ...sound, loudness: { ...loudness, ...chosen } });
        }}
      />
      <SoundJoinChoice sound={sound} onChange={onChange} />
      {(join.kind === 'fade' || join.kind === 'crossfade') && (
        <NumberField
          name="soundJoinSeconds"
          label={lookWords.joinSeconds}
          min={joinSeconds.shortest}
          max={joinSeconds.longest}
          step={joinSeconds.step}
          value={join.seconds}
          onChange={(seconds) => onChange({ ...sound, join: { ...join, seconds } })}
        />
      )}
      <Choice
        name="under"
        label={lookWords.under}
        value={under.enabled ? String(under.gainDB) : ''}
        options={[['', lookWords.notUnder], ...gains.map((dB) => [String(dB), lookWords.underGain(dB)] as const)]}
        onChange={(dB) => {
          const chosen = dB === '' ? { enabled: false } : { enabled: true, gainDB: Number(dB) };
          onChange({ ...sound, under: { ...under, ...chosen } });
        }}
      />
      {under.enabled && (
        <fieldset>
          <label>
            <input
              type="checkbox"
              name="duck"
              checked={under.duck}
              onChange={(event) => onChange({ ...sound, under: { ...under, duck: event.target.checked } })}
            />
            {lookWords.duck}
          </label>
        </fieldset>
      )}
    </>
  );
}

interface PictureFieldsProps {
  readonly look: Look;
  readonly isLocked: boolean;
  readonly onChange: (look: Look) => void;
}

function PictureFields({ look, isLocked, onChange }: PictureFieldsProps): ReactNode {
  const { aspect, framing, join } = look;
  return (
    <>
      {!isLocked && (
        <Choice
          name="aspect"
          label={lookWords.aspect}
          value={aspect}
          options={aspects.map((each) => [each, lookWords.aspects[each]] as const)}
          onChange={(chosen) => onChange({ ...look, aspect: chosen as Look['aspect'] })}
        />
      )}
      <Choice
        name="framing"
        label={lookWords.framing}
        value={framing.mode}
        options={framingOptions}
        onChange={(mode) => onChange({ ...look, framing: { ...framing, mode: mode as typeof framing.mode } })}
      />
      {framing.mode === 'pad' && (
        <Field
          name="colour"
          label={lookWords.colour}
          type="color"
          value={framing.colour}
          onChange={(event) => onChange({ ...look, framing: { ...framing, colour: event.target.value } })}
        />
      )}
      <Choice
        name="pictureJoin"
        label={lookWords.pictureJoin}
        value={join.kind}
        options={pictureJoinOptions}
        onChange={(kind) => onChange({ ...look, join: { ...join, kind: kind as typeof join.kind } })}
      />
      {join.kind === 'stinger' && (
        <StingerFields stinger={look.stinger} onChange={(stinger) => onChange({ ...look, stinger })} />
      )}
      {join.kind in pictureEffects && (
        <NumberField
          name="pictureJoinSeconds"
          label={lookWords.joinSeconds}
          min={pictureJoinSeconds.shortest}
          max={pictureJoinSeconds.longest}
          step={pictureJoinSeconds.step}
          value={join.seconds}
          onChange={(seconds) => onChange({ ...look, join: { ...join, seconds } })}
        />
      )}
    </>
  );
}
