// A relay between callers of AWS and the emulator, which records needed rights: each caller has its own address.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { rightsNeededFor } from '../support/aws-request.ts';
import type { NeededRight } from '../support/aws-request.ts';
import { writeShellProgram } from '../support/shell-program.ts';

export interface RecordedRight extends NeededRight {
  /** The function's name, or the name given to a task. */
  readonly caller: string;
}

export class CallRecorder {
  /** Distinct rights, as JSON. */
  readonly #recorded = new Set<string>();
  /** Requests that have no known rights. */
  readonly unknown: string[] = [];
  readonly #servers = new Map<string, Promise<Server>>();
  #emulator = '';

  /** The number of calls, including repetitions. */
  calls = 0;

  get recorded(): readonly RecordedRight[] {
    return [...this.#recorded].map((json) => JSON.parse(json) as RecordedRight);
  }

  /** Sets the target of calls. */
  forwardTo(emulatorURL: string): void {
    this.#emulator = emulatorURL;
  }

  /** @returns the address of AWS for this caller */
  async endpointFor(caller: string): Promise<string> {
    let made = this.#servers.get(caller);
    if (!made) {
      made = listen((request, response) => void this.#pass(caller, request, response));
      this.#servers.set(caller, made);
    }
    return addressOf(await made);
  }

  note(right: RecordedRight): void {
    this.calls += 1;
    this.#recorded.add(JSON.stringify(right));
  }

  /**
   * Variables for the emulator. With them each function that it starts gets its own address, and identifies itself to
   * the database: the `node` that is first in the path sets both (name-caller.mjs).
   * @param folder for that program
   */
  async environmentOfEmulator(folder: string): Promise<NodeJS.ProcessEnv> {
    const programs = join(folder, 'programs');
    await mkdir(programs);
    const preload = pathToFileURL(join(import.meta.dirname, 'name-caller.mjs')).href;
    writeShellProgram(join(programs, 'node'), `exec '${process.execPath}' --import '${preload}' "$@"`);
    const directory = await listen((request, response) => {
      const caller = decodeURIComponent((request.url ?? '/').slice(1));
      void this.endpointFor(caller).then((address) => response.end(address));
    });
    this.#servers.set('', Promise.resolve(directory));
    return { PATH: `${programs}:${process.env['PATH']}`, CALL_RECORDER_URL: addressOf(directory) };
  }

  async close(): Promise<void> {
    for (const server of await Promise.all(this.#servers.values())) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #pass(caller: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const onward = forward(new URL(url, this.#emulator), { method, headers }, (answer) => {
      this.#note(caller, { method, url, headers, body: body.toString('utf8') }, answer.statusCode ?? 0);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    // A caller that stops waiting for messages must not receive any, because others could have them.
    response.once('close', () => onward.destroy());
    onward.end(body);
  }

  #note(caller: string, request: Parameters<typeof rightsNeededFor>[0], status: number): void {
    try {
      for (const right of rightsNeededFor(request, status)) this.note({ caller, ...right });
    } catch (error) {
      this.unknown.push(`${caller}: ${String(error)}`);
    }
  }
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the recorder does not listen');
  return `http://127.0.0.1:${address.port}`;
}
