// ffmpeg never outlives the process that started it, and never reveals the address of its input.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startMediaTool } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { everyMediaTools, mediaSample } from '../../support/media-samples.ts';
import { itemRequest } from './encoded-item.ts';

const builds = await everyMediaTools();
const sourceFolder = new URL('../../../lambda/publisher/ffmpeg/', import.meta.url);

/** Runs a program in a separate process, and waits for its first line of output. */
async function startAgent(program: string): Promise<ChildProcess> {
  const agent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(agent.stdout), 'line');
  return agent;
}

/** The children of all threads of a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter((text) => text !== '')).map(Number);
}

async function killAgent(agent: ChildProcess): Promise<number[]> {
  const children = await childrenOf(agent.pid!);
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  return children;
}

/** Resolves once the processes have ended. They are not children of this process, so it polls. */
async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => existsSync(`/proc/${pid}`))) await delay(10);
}

describe.runIf(process.platform === 'linux').each(builds)(
  'a process that is killed, with the $name build,',
  ({ tools }) => {
    it('takes the ffmpeg of its item with it', async () => {
      const request = itemRequest(await mediaSample('plain.mp4'), { frameCount: 1_000_000 });
      const agent = await startAgent(`
      import { openItem } from '${new URL('item-source.ts', sourceFolder).href}';
      const item = openItem(${JSON.stringify(tools)}, ${JSON.stringify(request)}, new AbortController().signal);
      await item.ready;
      console.log('ready');
      setInterval(() => {}, 60_000);`);
      const ffmpegs = await killAgent(agent);
      expect(ffmpegs).toHaveLength(1);
      await untilGone(ffmpegs);
    });

    it('takes an ffmpeg with it that waits at a full pipe', async () => {
      const endless = ['-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', 'color', '-f', 'rawvideo', 'pipe:1'];
      const agent = await startAgent(`
      import { startMediaTool } from '${new URL('media-tool.ts', sourceFolder).href}';
      const { stdout } = startMediaTool('${tools.ffmpegPath}', ${JSON.stringify(endless)}, { readAheadBytes: 1000 });
      const look = setInterval(() => {
        if (!stdout.writableNeedDrain) return;
        clearInterval(look);
        console.log('full');
      }, 10);
      setInterval(() => {}, 60_000);`);
      const ffmpegs = await killAgent(agent);
      expect(ffmpegs).toHaveLength(1);
      await untilGone(ffmpegs);
    });

    it('takes the ffprobe with it by which its thread examines a file', async () => {
      // The server sends the head of the file, and the tool waits for the rest.
      const agent = await startAgent(`
      import { createServer } from 'node:http';
      import { examineOnThread } from '${new URL('../media/examining-thread.ts', sourceFolder).href}';
      const server = createServer((request, response) => {
        if (request.headers.range !== 'bytes=0-4095') return console.log('asked');
        response.writeHead(206, { 'content-range': 'bytes 0-4095/10000' }).end(Buffer.alloc(4096));
      }).listen(0, '127.0.0.1', () => {
        const url = 'http://127.0.0.1:' + server.address().port + '/a.mp4';
        const unclaimed = { mimeType: null, type: null, fileSize: null };
        void examineOnThread(${JSON.stringify(tools)}, url, unclaimed, new AbortController().signal);
      });`);
      const ffprobes = await killAgent(agent);
      expect(ffprobes).toHaveLength(1);
      await untilGone(ffprobes);
    });
  },
);

it('a media tool keeps addresses out of its log', async () => {
  const sourceURL = 'http://127.0.0.1:9/a/video.mp4?X-Amz-Signature=secret';
  const other = 'https://elsewhere.example/b?token=secret';
  const lines = [`[http @ 0x1] ${sourceURL}: Connection refused`, `redirected to ${other}`, `last ${sourceURL}`];
  const script = `process.stderr.write(${JSON.stringify(lines.join('\n'))})`;
  const tool = startMediaTool(process.execPath, ['--eval', script], { sourceURL, readAheadBytes: 1000 });
  tool.stdin.end();
  tool.stdout.resume();
  expect((await tool.exited).code).toBe(0);
  expect(tool.log().split('\n')).toEqual([
    '[http @ 0x1] <source>: Connection refused',
    'redirected to <source>',
    'last <source>',
  ]);
});

it('a media tool keeps only the end of a long log', async () => {
  const script = `process.stderr.write('x'.repeat(100_000) + '\\n' + 'line\\n'.repeat(1000) + 'the end')`;
  const tool = startMediaTool(process.execPath, ['--eval', script], { readAheadBytes: 1000 });
  tool.stdin.end();
  tool.stdout.resume();
  await tool.exited;
  expect(tool.log().length).toBeLessThan(10_000);
  expect(tool.log()).toMatch(/the end$/u);
});
