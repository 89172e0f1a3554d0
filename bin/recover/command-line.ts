// The arguments of `npm run recover`.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface RecoverArguments {
  /** `local`, or the name of a stage. */
  readonly stage: string;
  /** The folder of another local run; or the host of a restored database. */
  readonly from: string;
  /** The ARN of the secret with the password of the restored database's master. Null for a local run. */
  readonly secretARN: string | null;
  /** False: only show the plan. */
  readonly carryOut: boolean;
  /** Folder of the local run. */
  readonly dataFolder: string;
  readonly profile: string | undefined;
  /** Whether the stage is an engineer's own, and not in lib/stages.ts. */
  readonly isOwn: boolean;
}

const usage = `Continues a stage, or the local run, from another database: copies all rows, and proves the copies.

  npm run recover -- STAGE --from HOST --secret ARN   shows the plan for a restored database
  npm run recover -- local --from DIR                 shows the plan for the folder of another local run
  npm run recover -- … --carry-out                    carries the plan out; call it again after an interruption

Options:
  --data DIR      the folder of the local run, running or stopped (default .local)
  --own           the stage is your own, and not in lib/stages.ts
  --profile NAME  AWS credentials other than the default ones
  --help          this text

The rows of STAGE are replaced in one transaction at the end. No process may write to the source any more.`;

/** @returns the arguments, or a text for the user: help (exit code 0), or their fault (exit code 2) */
export function readArguments(
  args: readonly string[],
): RecoverArguments | { readonly text: string; readonly exitCode: 0 | 2 } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        secret: { type: 'string' },
        'carry-out': { type: 'boolean', default: false },
        data: { type: 'string', default: '.local' },
        own: { type: 'boolean', default: false },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { text: usage, exitCode: 0 };
    const [stage, ...others] = positionals;
    if (stage === undefined || others.length > 0) throw new Error('Name one stage, or local.');
    if (!values.from) throw new Error('--from is missing: it names the source of the rows.');
    const isLocal = stage === 'local';
    if (isLocal === (values.secret !== undefined))
      throw new Error(
        isLocal ? 'A local run has no --secret.' : '--secret is missing: the one of the restored database.',
      );
    return {
      stage,
      from: isLocal ? resolve(values.from) : values.from,
      secretARN: values.secret ?? null,
      carryOut: values['carry-out'],
      dataFolder: resolve(values.data),
      profile: values.profile,
      isOwn: values.own,
    };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
}
