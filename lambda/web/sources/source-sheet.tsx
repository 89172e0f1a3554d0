// A dialog that makes a watched source, or changes its folder, its interval and its sign-in.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { SourceKind } from '../../domain/sources/source-url.ts';
import { change } from '../app/live-data.ts';
import type { Source } from '../app/types.ts';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { Dismiss, Sheet } from '../kit/sheet.tsx';
import { words as shared } from '#words';
import { sourceWords as words } from '#words/sources.ts';

type SignIn = keyof typeof words.signIns;

/** The ways to sign in that each kind of source has. */
const signIns: Readonly<Record<SourceKind, readonly SignIn[]>> = {
  webdav: ['user', 'none'],
  s3: ['keys', 'role', 'none'],
  rss: ['none', 'user'],
};
/** The fields of each way, by their names in the API. */
const secretFields = {
  none: [],
  user: ['username', 'password'],
  keys: ['accessKeyID', 'secretAccessKey'],
  role: ['roleARN'],
} as const satisfies Record<SignIn, readonly string[]>;
const secrets: ReadonlySet<string> = new Set(['password', 'secretAccessKey']);
const leastMinutes = 10;
const mostMinutes = 1440;

interface SourceSheetProps {
  /** Null: a source is made. */
  readonly source: Source | null;
  readonly onClose: () => void;
}

export function SourceSheet({ source, onClose }: SourceSheetProps): ReactNode {
  const [kind, setKind] = useState<SourceKind>(source?.kind ?? 'webdav');
  /** `keep`: the sign-in of the source stays. */
  const [signIn, setSignIn] = useState<SignIn | 'keep'>(source ? 'keep' : 'user');
  const save = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const names = signIn === 'keep' ? [] : secretFields[signIn];
    const given = Object.fromEntries(names.map((name) => [name, fields[name]]));
    const settings = {
      folder: fields['folder'],
      everyMinutes: Number(fields['everyMinutes']),
      ...(signIn !== 'keep' && { credentials: names.length > 0 ? given : null }),
    };
    await (source
      ? change('PATCH', `/sources/${source.id}`, ['/sources'], settings)
      : change('POST', '/sources', ['/sources'], { kind, url: fields['url'], ...settings }));
    onClose();
  };
  const chooseKind = (chosen: string) => {
    setKind(chosen as SourceKind);
    setSignIn(signIns[chosen as SourceKind][0]!);
  };
  const choices: readonly (readonly [string, string])[] = [
    ...(source ? [['keep', words.keepCredentials] as const] : []),
    ...signIns[kind].map((each) => [each, words.signIns[each]] as const),
  ];
  return (
    <Sheet title={source ? words.editOf(source.url) : words.add} isOpen onClose={onClose}>
      <Form action={source ? shared.save : words.add} onSubmit={save} beside={<Dismiss onClose={onClose} />}>
        {!source && (
          <>
            <Choice
              name="kind"
              label={words.kind}
              value={kind}
              onChange={chooseKind}
              options={Object.entries(words.kinds)}
            />
            <Field name="url" label={words.url} hint={words.urlHints[kind]} type="url" autoComplete="off" />
          </>
        )}
        <Choice
          name="signIn"
          label={words.credentials}
          value={signIn}
          onChange={(chosen) => setSignIn(chosen as SignIn | 'keep')}
          options={choices}
        />
        {signIn !== 'keep' && secretFields[signIn].map((name) => <Secret key={name} name={name} />)}
        <Field
          name="folder"
          label={words.folder}
          hint={words.folderHint}
          defaultValue={source?.folder ?? ''}
          required={false}
        />
        <Field
          name="everyMinutes"
          label={words.everyMinutes}
          type="number"
          min={leastMinutes}
          max={mostMinutes}
          defaultValue={source?.everyMinutes ?? 60}
        />
      </Form>
    </Sheet>
  );
}

type SecretName = (typeof secretFields)[SignIn][number];

function Secret({ name }: { readonly name: SecretName }): ReactNode {
  const isSecret = secrets.has(name);
  return (
    <Field
      name={name}
      label={words[name]}
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      {...(isSecret && { hint: words.secretHint })}
      {...(name === 'roleARN' && { hint: words.roleHint })}
    />
  );
}
