// Checks Docker, which builds the publisher's image unless the deployment names one.
import { execFile } from 'node:child_process';
import { deployCommand, type LocalCheck } from '../check.ts';

const timeoutMs = 30_000;

export const docker: LocalCheck = {
  name: 'Docker',
  async run({ command }) {
    if (!command.needsDocker) return [];
    const program = process.env.CDK_DOCKER ?? 'docker';
    const trouble = await troubleWith(program);
    const row = { what: 'Docker', needed: 'answers, to build the publisher’s image' };
    if (trouble === null) return [{ ...row, found: 'answers', state: 'there', remedy: [] }];
    return [
      {
        ...row,
        found: trouble,
        state: 'missing',
        remedy: [
          'Start Docker (CDK_DOCKER names another program), or deploy an image that the pipeline pushed:',
          `$ ${deployCommand(command)} -c imageDigest=sha256:…`,
        ],
      },
    ];
  },
};

/**
 * @param program name of Docker's CLI, or of a program with the same arguments
 * @returns null if it answers
 */
function troubleWith(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    // This command also fails if the CLI is installed but does not reach Docker's server.
    execFile(program, ['version'], { timeout: timeoutMs }, (error, _output, errors) => {
      resolve(error ? errors.trim().split('\n').at(-1) || error.message : null);
    });
  });
}
