// Watches every request of the tests for secrets that it brings, and every answer and log line after it for one of them.

export interface PlantedSecrets {
  /** Remembers the secrets in what is sent: fields by their names, and the credentials in headers. */
  plant(headers: Headers, body: string): void;
  /** @throws when the text has one of them; `where` says what it was */
  expectNoneIn(text: string, where: string): void;
}

const secretFields = new Set([
  'streamKey',
  'password',
  'newPassword',
  'currentPassword',
  'code_verifier',
  'client_secret',
]);
/** Shorter ones are in texts by chance. */
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

/** Of JSON at any depth, or of a form. */
function fieldsOf(body: string): [string, unknown][] {
  if (!body.startsWith('{')) return [...new URLSearchParams(body)];
  const fields: [string, unknown][] = [];
  try {
    JSON.parse(body, (name, value: unknown) => void fields.push([name, value]));
  } catch {
    // Malformed on purpose.
  }
  return fields;
}
