// Watches the requests of the tests for secrets, and every answer and log line after them for one of these secrets.

export interface PlantedSecrets {
  /** Remembers the secrets in what is sent: fields by their names, and the credentials in headers. */
  plant(headers: Headers, body: string): void;
  /** Looks for secrets in a text. @param where says what the text is. @throws when it has a secret */
  expectNoneIn(text: string, where: string): void;
}

const secretFields = new Set([
  'streamKey',
  'password',
  'newPassword',
  'currentPassword',
  'code_verifier',
  'client_secret',
  'secretAccessKey',
]);
/** Secrets have at least so many characters. Shorter texts may be in others by chance. */
const leastCharacters = 8;

export function plantedSecrets(): PlantedSecrets {
  const planted = new Set<string>();
  const add = (value: unknown) => {
    if (typeof value === 'string' && value.length >= leastCharacters) planted.add(value);
  };
  return {
    plant(headers, body) {
      for (const value of [
        headers.get('x-api-key'),
        headers.get('authorization')?.replace(/^\w+ /, ''),
        headers.get('cookie')?.split('=')[1],
      ])
        add(value);
      for (const [name, value] of fieldsOf(body)) if (secretFields.has(name)) add(value);
    },
    expectNoneIn(text, where) {
      for (const secret of planted)
        if (text.includes(secret))
          throw new Error(`${where} gives away a secret that was sent before: ${text.slice(0, 300)}`);
    },
  };
}

/** The fields of JSON, at any depth, or of a form. */
function fieldsOf(body: string): [string, unknown][] {
  if (!body.startsWith('{')) return [...new URLSearchParams(body)];
  const fields: [string, unknown][] = [];
  try {
    JSON.parse(body, (name, value: unknown) => void fields.push([name, value]));
  } catch {
    // Tests send malformed JSON on purpose.
  }
  return fields;
}
