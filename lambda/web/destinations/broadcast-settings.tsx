// Settings of broadcasts on connected channels, such as title and visibility. Streams refer to them.
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Ask } from '../kit/ask.tsx';
import { change, useLive } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { Connection, ManagedSettings, Page, Upload } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { words } from '#words';
import { channelsWords } from '#words/channels.ts';

const path = '/managed-settings?limit=50';

export function BroadcastSettings(): ReactNode {
  const pages = usePages<ManagedSettings>(path);
  const { data: connections } = useLive<Page<Connection>>('/connections?limit=50');
  const { data: images } = useLive<Page<Upload>>('/uploads?limit=100&type=image&probeState=completed');
  const channels = (connections?.data ?? []).filter(({ state }) => state !== 'pending');
  if (channels.length === 0 && pages.items.length === 0) return null;
  const save = (id: string | null) => (wish: object) =>
    id === null
      ? change('POST', '/managed-settings', ['/managed-settings'], wish)
      : change('PATCH', `/managed-settings/${id}`, ['/managed-settings'], wish);
  const form = (settings: ManagedSettings | null) => (
    <FormButton
      {...(settings === null
        ? { action: channelsWords.addSettings, icon: <Plus aria-hidden /> }
        : { action: channelsWords.change, label: channelsWords.changeOf(settings.name) })}
      isWide
    >
      {({ close, cancel }) => (
        <SettingsForm
          settings={settings}
          channels={channels}
          images={images?.data ?? []}
          cancel={cancel}
          onSave={async (wish) => {
            await save(settings?.id ?? null)(wish);
            close();
          }}
        />
      )}
    </FormButton>
  );
  return (
    <section aria-labelledby="broadcast-settings">
      <div className="heading">
        <h2 id="broadcast-settings">{channelsWords.settings}</h2>
        {channels.length > 0 && form(null)}
      </div>
      <p className="hint">{channelsWords.settingsText}</p>
      <PagedRows pages={pages} none={channelsWords.noSettings}>
        {(settings) => (
          <li key={settings.id} className="tall">
            <div>
              <strong>{settings.name}</strong>
              <p className="hint">
                {[
                  channels.find(({ id }) => id === settings.connectionID)?.title ?? '…',
                  settings.titleTemplate,
                  channelsWords.privacies[settings.privacy],
                ].join(' · ')}
              </p>
            </div>
            <div className="state">
              {form(settings)}
              <Ask
                action={words.remove}
                tone="grave"
                question={channelsWords.removeSettingsAsk(settings.name)}
                explanation={channelsWords.removeSettingsText}
                onYes={() => change('DELETE', `/managed-settings/${settings.id}`, ['/managed-settings'])}
              />
            </div>
          </li>
        )}
      </PagedRows>
    </section>
  );
}

interface SettingsFormProps {
  readonly settings: ManagedSettings | null;
  readonly channels: readonly Connection[];
  readonly images: readonly Upload[];
  readonly onSave: (wish: object) => Promise<void>;
  /** The button that closes the dialog of the form. */
  readonly cancel: ReactNode;
}

function SettingsForm({ settings, channels, images, onSave, cancel }: SettingsFormProps): ReactNode {
  const save = (fields: Readonly<Record<string, string>>): Promise<void> =>
    onSave({
      connectionID: fields['connectionID'],
      name: fields['name'],
      titleTemplate: fields['titleTemplate'],
      descriptionTemplate: fields['descriptionTemplate'] ?? '',
      privacy: fields['privacy'],
      latency: fields['latency'],
      madeForKids: fields['madeForKids'] === 'on',
      dvr: fields['dvr'] === 'on',
      thumbnailUploadID: fields['thumbnailUploadID'] === '' ? null : fields['thumbnailUploadID'],
      timeZone: settings?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
  return (
    <Form action={settings ? words.save : channelsWords.addSettings} onSubmit={save} className="in-row" beside={cancel}>
      <Field name="name" label={channelsWords.name} defaultValue={settings?.name ?? ''} maxLength={255} />
      <Choice
        name="connectionID"
        label={channelsWords.channel}
        defaultValue={settings?.connectionID ?? channels[0]?.id ?? ''}
        options={channels.map(({ id, title }) => [id, title ?? id] as const)}
      />
      <Field
        name="titleTemplate"
        label={channelsWords.titleTemplate}
        hint={channelsWords.titleHint}
        defaultValue={settings?.titleTemplate ?? ''}
        maxLength={500}
      />
      <Field
        name="descriptionTemplate"
        label={channelsWords.description}
        defaultValue={settings?.descriptionTemplate ?? ''}
        maxLength={5000}
        required={false}
      />
      <Choice
        name="privacy"
        label={channelsWords.privacy}
        defaultValue={settings?.privacy ?? 'unlisted'}
        options={Object.entries(channelsWords.privacies)}
      />
      <Choice
        name="latency"
        label={channelsWords.latency}
        defaultValue={settings?.latency ?? 'normal'}
        options={Object.entries(channelsWords.latencies)}
      />
      <Choice
        name="thumbnailUploadID"
        label={channelsWords.thumbnail}
        defaultValue={settings?.thumbnailUploadID ?? ''}
        options={[['', words.none], ...images.map(({ id, name }) => [id, name] as const)]}
      />
      <fieldset>
        <label>
          <input type="checkbox" name="madeForKids" defaultChecked={settings?.madeForKids ?? false} />
          {channelsWords.kids}
        </label>
        <label>
          <input type="checkbox" name="dvr" defaultChecked={settings?.dvr ?? true} />
          {channelsWords.dvr}
        </label>
      </fieldset>
    </Form>
  );
}
