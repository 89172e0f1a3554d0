// Finds an ffmpeg and an ffprobe with everything that the publisher needs.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The absolute paths of both tools. */
export interface MediaTools {
  readonly ffmpegPath: string;
  readonly ffprobePath: string;
}

interface Tool {
  readonly name: 'ffmpeg' | 'ffprobe';
  readonly pathVariable: 'FFMPEG_PATH' | 'FFPROBE_PATH';
  /** The optional npm package that holds it. */
  readonly packageName: string;
  readonly needs: Readonly<Partial<Record<Capability, readonly string[]>>>;
}

type Capability = 'encoder' | 'decoder' | 'muxer' | 'demuxer';

const machine = `${process.platform}-${process.arch}`;

/** ffmpeg must write the publisher's formats, and read the most common formats of uploads. */
const ffmpeg: Tool = {
  name: 'ffmpeg',
  pathVariable: 'FFMPEG_PATH',
  packageName: `@ffmpeg-binary/${machine}`,
  needs: {
    encoder: ['libx264', 'aac', 'pcm_s16le'],
    muxer: ['flv', 's16le'],
    decoder: ['h264', 'hevc', 'vp8', 'vp9', 'aac', 'mp3', 'opus', 'vorbis', 'flac', 'png', 'mjpeg'],
    demuxer: ['mov', 'matroska', 'mpegts', 'mp3', 'wav', 'ogg'],
  },
};
const ffprobe: Tool = {
  name: 'ffprobe',
  pathVariable: 'FFPROBE_PATH',
  packageName: `@ffprobe-installer/${machine}`,
  needs: { demuxer: ffmpeg.needs.demuxer },
};

/** Timeout of a list. A dynamically linked build may take half a second if the disk is cold. */
const listTimeoutMs = 20_000;

/**
 * Finds both tools. FFMPEG_PATH and FFPROBE_PATH name the only candidates. Without them, the first suitable one on PATH
 * is used, else that of the optional npm package.
 * @throws if there is none. The message lists what each candidate lacks, and what to do
 */
export async function findMediaTools(env: NodeJS.ProcessEnv): Promise<MediaTools> {
  const [ffmpegPath, ffprobePath] = await Promise.all([findTool(ffmpeg, env), findTool(ffprobe, env)]);
  return { ffmpegPath, ffprobePath };
}

async function findTool(tool: Tool, env: NodeJS.ProcessEnv): Promise<string> {
  const shortcomings: string[] = [];
  for (const path of candidates(tool, env)) {
    if (!(await isExecutable(path))) {
      if (path === env[tool.pathVariable])
        shortcomings.push(`${path} (${tool.pathVariable}) is not an executable file`);
      continue;
    }
    const lacking = await lackingIn(path, tool);
    if (lacking.length === 0) return path;
    shortcomings.push(`${path} lacks ${lacking.join(', ')}`);
  }
  throw new Error(
    [
      `No usable ${tool.name} was found${shortcomings.length > 0 ? ':' : '.'}`,
      ...shortcomings.map((shortcoming) => `  ${shortcoming}`),
      `Install it (sudo apt install ffmpeg), or set ${tool.pathVariable} to one that has everything.`,
    ].join('\n'),
  );
}

function candidates({ name, pathVariable, packageName }: Tool, env: NodeJS.ProcessEnv): string[] {
  const chosen = env[pathVariable];
  if (chosen) return [chosen];
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name));
  try {
    return [...onPath, join(dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`)), name)];
  } catch {
    return onPath;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function lackingIn(path: string, { needs }: Tool): Promise<string[]> {
  try {
    const [codecs, formats] = await Promise.all([
      needs.encoder || needs.decoder ? list(path, '-codecs') : '',
      list(path, '-formats'),
    ]);
    const has = { ...readCodecs(codecs), ...readFormats(formats) };
    return capabilities.flatMap((capability) =>
      (needs[capability] ?? []).filter((name) => !has[capability].has(name)).map((name) => `the ${capability} ${name}`),
    );
  } catch {
    return ['the ability to run on this machine'];
  }
}

const capabilities: readonly Capability[] = ['encoder', 'decoder', 'muxer', 'demuxer'];

async function list(path: string, what: '-codecs' | '-formats'): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['-hide_banner', what], { timeout: listTimeoutMs });
  return stdout;
}

/**
 * Reads lines such as ` DEV.LS h264  H.264 (decoders: h264 h264_v4l2m2m) (encoders: libx264 h264_nvenc)`. A line
 * without such names means that the name equals the codec's.
 */
function readCodecs(text: string): Record<'encoder' | 'decoder', Set<string>> {
  const has = { encoder: new Set<string>(), decoder: new Set<string>() };
  for (const line of text.split('\n')) {
    const [, decodes, encodes, codec = '', description = ''] = /^ ([D.])([E.])[VASDT.]\S* (\S+)(.*)$/.exec(line) ?? [];
    const names = (kind: string) => {
      const listed = new RegExp(`\\(${kind}: ([^)]*)\\)`).exec(description)?.[1];
      return listed?.trim().split(' ') ?? [codec];
    };
    if (decodes === 'D') for (const name of names('decoders')) has.decoder.add(name);
    if (encodes === 'E') for (const name of names('encoders')) has.encoder.add(name);
  }
  return has;
}

/** Reads lines such as `  D  mov,mp4,m4a  QuickTime / MOV` and ` DE flv  FLV (Flash Video)`. */
function readFormats(text: string): Record<'muxer' | 'demuxer', Set<string>> {
  const has = { muxer: new Set<string>(), demuxer: new Set<string>() };
  for (const line of text.split('\n')) {
    const [, demuxes, muxes, names = ''] = /^ ([D ])([E ])d? +(\S+)/.exec(line) ?? [];
    for (const name of names.split(',')) {
      if (demuxes === 'D') has.demuxer.add(name);
      if (muxes === 'E') has.muxer.add(name);
    }
  }
  return has;
}
