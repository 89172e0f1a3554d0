// Records the secrets in requests to us and in platforms' answers, and searches all of our later output for them.

export interface PlantedSecrets {
  /** Records the secrets of a request: fields by their names, credentials in headers, a code in the address. */
  plant(headers: Headers, body: string, url?: string): void;
  /** Records the secrets in a platform's answer: tokens, and the keys of ingests. */
  plantAnswer(body: string): void;
  plantSecret(secret: string): void;
  /** Searches a text for secrets. @throws with the name `where` of the text, if it has a secret */
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
  'refresh_token',
  'code',
]);
/** Secret fields in answers of platforms. YouTube calls the key of an ingest its stream's name, others stream key. */
const secretsOfPlatforms = new Set(['access_token', 'refresh_token', 'id_token', 'streamName', 'stream_key']);
/** Minimum length of secrets. Shorter texts may appear elsewhere by chance. */
const leastCharacters = 8;

export function plantedSecrets(): PlantedSecrets {
  const planted = new Set<string>();
  const add = (value: unknown) => {
    // Generators of hostile texts send the names of properties that all objects have.
    const isName = typeof value === 'string' && value in Object.prototype;
    if (typeof value === 'string' && value.length >= leastCharacters && !isName) planted.add(value);
  };
  return {
    plantSecret: add,
    plantAnswer(body) {
      for (const [name, value] of fieldsOf(body)) if (secretsOfPlatforms.has(name)) add(value);
    },
    plant(headers, body, url) {
      for (const value of [
        headers.get('x-api-key'),
        headers.get('authorization')?.replace(/^\w+ /, ''),
        headers.get('cookie')?.split('=')[1],
        url === undefined ? undefined : new URL(url).searchParams.get('code'),
      ])
        add(value);
      for (const [name, value] of fieldsOf(body)) if (secretFields.has(name)) add(value);
    },
    expectNoneIn(text, where) {
      // In a database row, bytes are hexadecimal digits.
      for (const secret of planted)
        if (text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')))
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
