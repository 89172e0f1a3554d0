// An ECS task as a local process, because the emulator's ECS runs none: the program, and its ECS environment.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startChild } from '../../bin/local/child-process.ts';

export interface TaskOptions {
  /** The program's file below `lambda/`. */
  readonly entry: string;
  /** ARN of its task definition. */
  readonly taskDefinition: string;
  /** The variables in the task definition, and those of a process in the account. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  /** Called whenever the task asks ECS to protect it. */
  readonly onProtect: () => void;
}

export interface Task {
  /** Rejects if the task ends by itself. */
  readonly works: Promise<never>;
  /** Ends the task as ECS does. @throws unless it ends by itself with exit code 0 */
  stop(): Promise<void>;
}

const stopGraceMs = 30_000;

export async function startTask({ entry, taskDefinition, environment, log, onProtect }: TaskOptions): Promise<Task> {
  const [Family, Revision] = taskDefinition.split('/').at(-1)!.split(':');
  const TaskARN = taskDefinition.replace(/:task-definition\/.*/, `:task/emulated/${Family}`);
  const metadata = createServer((request, response) => {
    // The agent of ECS calls UpdateTaskProtection with the credentials of the task's role.
    if (request.url?.startsWith('/task-protection')) onProtect();
    response.end(JSON.stringify({ TaskARN, Family, Revision }));
  }).listen(0, '127.0.0.1');
  await once(metadata, 'listening');
  const address = metadata.address();
  const ecsURL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const env = { ...environment, ECS_CONTAINER_METADATA_URI_V4: ecsURL, ECS_AGENT_URI: ecsURL };
  const args = [join(import.meta.dirname, '../../lambda', entry)];
  const child = startChild({ command: process.execPath, args, env, log });
  const works = child.exited.then(({ code }) => Promise.reject(new Error(`${entry} ended with ${code}`)));
  // After the stop its end is no longer an error.
  works.catch(() => {});
  return {
    works,
    async stop() {
      const { code } = await child.stop('SIGTERM', stopGraceMs);
      metadata.close();
      if (code !== 0) throw new Error(`${entry} ended with ${code}`);
    },
  };
}
