// The arguments of `npm run deploy` and `npm run diff`, and the CDK's that they become.
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages, stagesToBuild } from '../../lib/stages.ts';

export interface StageCommand {
  readonly stage: string;
  readonly settings: StageSettings;
  readonly cdkArgs: readonly string[];
  /** The CDK will ask AWS. */
  readonly needsCredentials: boolean;
  /** The CDK may build the publisher's image. */
  readonly needsDocker: boolean;
  /** Of the AWS configuration, as given by `--profile`. */
  readonly profile: string | undefined;
}

const usage = `Deploys one stage, or shows what a deployment would change.

  npm run deploy -- STAGE [arguments of cdk deploy]
  npm run diff -- STAGE [arguments of cdk diff]

STAGE is ${Object.keys(stages).join(', ')} (lib/stages.ts), or with --own the name of one of your own, with the values of ${Object.keys(stages)[0]}.
STAGE/STACK takes one stack of it, and those it depends on: ${Object.keys(stages)[0]}/Database.

  -c imageDigest=sha256:…   the publisher's image that the pipeline pushed; else Docker builds it, for amd64 and arm64
  --profile NAME            AWS credentials other than the default ones
  --help                    this text

Example: npm run deploy -- ada --own --profile sandbox`;

/** @param args the command, then what the user typed. @returns what to run, or what to tell: help (exit 0), or what is wrong with the arguments (exit 2) */
export function readCommand(
  args: readonly string[],
): StageCommand | { readonly text: string; readonly exitCode: 0 | 2 } {
  const [command = '', target = '', ...rest] = args;
  try {
    if ([target, ...rest].some((arg) => arg === '--help' || arg === '-h')) return { text: usage, exitCode: 0 };
    if (command !== 'deploy' && command !== 'diff') throw new Error(`There is no command ${command}.`);
    if (target === '' || target.startsWith('-')) throw new Error('The stage is missing: it comes first.');
    const own = rest.includes('--own');
    const options = rest.filter((arg) => arg !== '--own');
    const [stage = '', ...stack] = target.split('/');
    return {
      stage,
      settings: settingsOf(stage, own),
      cdkArgs: [
        command,
        `${stage}/${stack.join('/') || '**'}`,
        ...(own ? ['--context', `stage=${stage}`] : []),
        ...options,
      ],
      needsCredentials: !valuesOf(options, '--template').length,
      needsDocker:
        command === 'deploy' &&
        stack.length === 0 &&
        !valuesOf(options, '-c', '--context').some((value) => value.startsWith('imageDigest=')),
      profile: valuesOf(options, '--profile').at(-1),
    };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
}

/** @throws saying which stages there are; or which field of theirs is wrong */
function settingsOf(stage: string, own: boolean): StageSettings {
  if (own && Object.hasOwn(stages, stage)) throw new Error(`${stage} is a shared stage: leave --own out.`);
  const built = new Map(Object.entries(stagesToBuild(own ? stage : undefined)));
  const found = built.get(stage);
  if (!found)
    throw new Error(
      `There is no stage ${stage}. There are ${Object.keys(stages).join(', ')}; for one of your own add --own.`,
    );
  return found;
}

/** Values of an option by any of its names, as `--name value` or `--name=value`. */
function valuesOf(args: readonly string[], ...names: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const name = names.find((candidate) => arg === candidate || arg.startsWith(`${candidate}=`));
    if (name === undefined) return [];
    return arg === name ? [args[index + 1] ?? ''] : [arg.slice(name.length + 1)];
  });
}
