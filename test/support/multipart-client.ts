// A reference client for multipart uploads: sends a file, and resumes where an interrupted run ended.
// API_KEY=lss_… node test/support/multipart-client.ts FILE MEDIA_TYPE API_URL [PARALLEL]
import { createHash } from 'node:crypto';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const [file = '', mimeType = '', apiURL = '', parallel = '4'] = process.argv.slice(2);
const { size: fileSize, ino, mtimeMs } = await stat(file);
/** Path of the file that stores the upload's id after this process has ended. */
const memory = `${file}.upload`;
const partBytes = 16 * 1024 ** 2;
const partNumbers = Array.from({ length: Math.ceil(fileSize / partBytes) }, (_, index) => index + 1);

/** Calls the API until it answers. A refusal is an answer, except “this request is still running”. */
async function call(
  method: string,
  path: string,
  body?: object,
  more?: object,
): Promise<{ status: number; answer: any }> {
  const headers = { 'x-api-key': process.env['API_KEY'] ?? '', 'content-type': 'application/json', ...more };
  for (;;) {
    try {
      const response = await fetch(apiURL + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const answer = await response.json();
      const isToCome = response.status === 429 || answer.code === 'idempotency_in_progress';
      if (response.status < 500 && !isToCome) return { status: response.status, answer };
    } catch {}
    await setTimeout(200);
  }
}

/** Creates the upload. The key prevents a second upload if an answer was lost. */
async function create(): Promise<string> {
  const upload = { name: basename(file), mimeType, fileSize, multipart: true };
  const { answer } = await call('POST', '/uploads', upload, { 'idempotency-key': `${ino}-${mtimeMs}` });
  if (!answer.id) throw new Error(answer.detail);
  await writeFile(memory, answer.id);
  return answer.id;
}

const id = (await readFile(memory, 'utf8').catch(() => '')) || (await create());
const source = await open(file);
const { status: found, answer: there } = await call('GET', `/uploads/${id}/parts`);
// A complete upload has no parts any more.
const arrived = new Set(found === 200 ? there.map((part: { partNumber: number }) => part.partNumber) : partNumbers);
const waiting = partNumbers.filter((partNumber) => !arrived.has(partNumber));

/** Sends a part until it has arrived. Each attempt gets a new URL, because URLs expire after an hour. */
async function send(partNumber: number): Promise<void> {
  const start = (partNumber - 1) * partBytes;
  const bytes = Buffer.alloc(Math.min(partBytes, fileSize - start));
  await source.read(bytes, 0, bytes.length, start);
  const sha256 = [createHash('sha256').update(bytes).digest('base64')];
  for (;;) {
    const { answer } = await call('POST', `/uploads/${id}/part-urls`, { partNumbers: [partNumber], sha256 });
    const [{ url, method, headers }] = answer.parts;
    const put = await fetch(url, { method, headers, body: bytes }).catch(() => null);
    if (put?.ok) return;
    await setTimeout(200);
  }
}

for (;;) {
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next);
  };
  await Promise.all(Array.from({ length: Number(parallel) }, work));
  const { status, answer } = await call('POST', `/uploads/${id}/complete`);
  if (answer.code !== 'parts_missing') {
    console.log(status === 200 ? id : JSON.stringify(answer));
    process.exit(status === 200 ? 0 : 1);
  }
  waiting.push(...answer.partNumbers);
}
