// The media worker's task as a process of this machine, since the emulator's ECS runs none: the program, and what ECS gives it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startChild } from '../../bin/local/child-process.ts';

export interface MediaWorker {
  /** Rejects if it ends without being asked to. */
  readonly works: Promise<never>;
  /** Ends it as ECS does. @throws if it did not end by itself and well */
  stop(): Promise<void>;
}

const entry = join(import.meta.dirname, '../../lambda/publisher/agent.task.ts');
const stopGraceMs = 30_000;

/**
 * @param taskDefinition ARN of its task definition
 * @param environment the variables in it, and those of a process in the account
 */
export async function startMediaWorker(
  taskDefinition: string,
  environment: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<MediaWorker> {
  const [Family, Revision] = taskDefinition.split('/').at(-1)!.split(':');
  const TaskARN = taskDefinition.replace(/:task-definition\/.*/, ':task/emulated/media-worker');
  const metadata = createServer((_request, response) =>
    response.end(JSON.stringify({ TaskARN, Family, Revision })),
  ).listen(0, '127.0.0.1');
  await once(metadata, 'listening');
  const address = metadata.address();
  const ecsURL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const env = { ...environment, ECS_CONTAINER_METADATA_URI_V4: ecsURL, ECS_AGENT_URI: ecsURL };
  const child = startChild({ command: process.execPath, args: [entry], env, log });
  const works = child.exited.then(({ code }) => Promise.reject(new Error(`the media worker ended with ${code}`)));
  // Once it is asked to end, nobody looks at it any more.
  works.catch(() => {});
  return {
    works,
    async stop() {
      const { code } = await child.stop('SIGTERM', stopGraceMs);
      metadata.close();
      if (code !== 0) throw new Error(`the media worker ended with ${code}`);
    },
  };
}
