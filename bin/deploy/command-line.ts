// Parses the arguments of `npm run deploy` and `npm run diff`, and derives those of the CDK.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOTSTRAP_QUALIFIER_CONTEXT, DefaultStackSynthesizer } from 'aws-cdk-lib';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages, stagesToBuild } from '../../lib/stages.ts';

export interface StageCommand {
  readonly stage: string;
  readonly settings: StageSettings;
  /** Whether the stage is in lib/stages.ts; false: it is an engineer's own. */
  readonly isShared: boolean;
  /** The stage in lib/stages.ts that provides the settings. */
  readonly settingsOf: string;
  /** The only stack that is selected, with those it depends on; undefined: all. */
  readonly stack: string | undefined;
  readonly cdkArgs: readonly string[];
  /** The arguments of the CDK that write the templates into `assembly`; null: they are there already. */
  readonly synthArgs: readonly string[] | null;
  /** The folder of the CDK's output. */
  readonly assembly: string;
  /** Whether to deploy in spite of findings of the comparison with the stage that stands. */
  readonly despiteChanges: boolean;
  /** Whether only to run the checks of the account. */
  readonly checkOnly: boolean;
  /** Whether the CDK will query AWS. */
  readonly needsCredentials: boolean;
  /** Whether the CDK may build the publisher's image. */
  readonly needsDocker: boolean;
  /** Digest of the publisher's image that is deployed; null: the CDK builds it. */
  readonly imageDigest: string | null;
  /** The profile of the AWS configuration from `--profile`; undefined: the default one. */
  readonly profile: string | undefined;
  /** The bootstrap of the account that deploys the stage. */
  readonly qualifier: { readonly name: string; readonly isDefault: boolean };
}

const stageNames = Object.keys(stages);
const ownStage = `or with --own the name of your own stage, with the values of ${stageNames[0]}.`;

const usage = `Deploys one stage, or shows the changes of a deployment.

  npm run deploy -- STAGE [arguments of cdk deploy]
  npm run deploy -- STAGE --check
  npm run diff -- STAGE [arguments of cdk diff]

STAGE is ${stageNames.join(', ')} (lib/stages.ts), ${ownStage}
STAGE/STACK selects one stack, and those it depends on: ${stageNames[0]}/Database.

  --check                   only lists what the account lacks for the stage, and exits with 1 if it lacks something
  -c imageDigest=sha256:…   the publisher's image that the pipeline pushed; else Docker builds it, for amd64 and arm64
  --despite-changes         deploys although that would be refused by CloudFormation, or would lose data
  --profile NAME            AWS credentials other than the default ones
  --help                    this text

Example: npm run deploy -- ada --own --profile sandbox`;

/**
 * @param args the command, `deploy` or `diff`, then the user's arguments
 * @returns the command to run, or a text for the user: help (exit code 0), or the fault of the arguments (exit code 2)
 */
export function readCommand(
  args: readonly string[],
): StageCommand | { readonly text: string; readonly exitCode: 0 | 2 } {
  const [command = '', target = '', ...rest] = args;
  try {
    if ([target, ...rest].some((arg) => arg === '--help' || arg === '-h')) return { text: usage, exitCode: 0 };
    if (command !== 'deploy' && command !== 'diff') throw new Error(`There is no command ${command}.`);
    if (target === '' || target.startsWith('-')) throw new Error('The stage is missing: it comes first.');
    const isOwn = rest.includes('--own');
    const checkOnly = rest.includes('--check');
    if (checkOnly && command === 'diff') throw new Error('--check is an option of deploy.');
    const despiteChanges = rest.includes('--despite-changes');
    const given = rest.filter((arg) => !['--own', '--check', '--despite-changes'].includes(arg));
    const app = valuesOf(given, '-a', '--app').at(-1);
    const options = without(given, '-a', '--app');
    const [stage = '', ...stack] = target.split('/');
    const stacks = `${stage}/${stack.join('/') || '**'}`;
    const context = isOwn ? ['--context', `stage=${stage}`] : [];
    const settings = settingsOf(stage, { isOwn });
    const contexts = valuesOf(options, '-c', '--context');
    const imageDigest = valueOfContext(contexts, 'imageDigest') ?? null;
    return {
      stage,
      settings,
      isShared: !isOwn,
      settingsOf: isOwn ? stageNames[0]! : stage,
      checkOnly,
      stack: stack.join('/') || undefined,
      ...assemblyOf(app, [stacks, ...context, ...only(options, '-c', '--context', '--profile')]),
      despiteChanges,
      cdkArgs: [command, stacks, ...context, ...options],
      needsCredentials: valuesOf(options, '--template').length === 0,
      needsDocker: command === 'deploy' && stack.length === 0 && imageDigest === null,
      imageDigest,
      profile: valuesOf(options, '--profile').at(-1),
      qualifier: qualifierOf(settings, contexts),
    };
  } catch (error) {
    return { text: `${(error as Error).message}\n\n${usage}`, exitCode: 2 };
  }
}

/** @throws if there is no such stage, with the names of all stages; or if a field of a stage is invalid */
function settingsOf(stage: string, { isOwn }: { readonly isOwn: boolean }): StageSettings {
  if (isOwn && Object.hasOwn(stages, stage)) throw new Error(`${stage} is a shared stage: leave --own out.`);
  const built = new Map(Object.entries(stagesToBuild(isOwn ? stage : undefined)));
  const found = built.get(stage);
  if (found) return found;
  throw new Error(`There is no stage ${stage}. Stages are ${stageNames.join(', ')}; for your own stage, add --own.`);
}

/** The stage's own qualifier, else that of the command line, else that of cdk.json, else the CDK's default. */
function qualifierOf({ bootstrapQualifier }: StageSettings, contexts: readonly string[]): StageCommand['qualifier'] {
  const { context }: { context: Record<string, string | undefined> } = JSON.parse(
    readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
  );
  const typed = valueOfContext(contexts, BOOTSTRAP_QUALIFIER_CONTEXT);
  const name =
    bootstrapQualifier ?? typed ?? context[BOOTSTRAP_QUALIFIER_CONTEXT] ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  return { name, isDefault: name === DefaultStackSynthesizer.DEFAULT_QUALIFIER };
}

/** @param contexts as they were typed, NAME=VALUE: the last of several counts */
function valueOfContext(contexts: readonly string[], name: string): string | undefined {
  return contexts.findLast((value) => value.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** @param app what the user gave as `--app`: a folder that the CDK has written, or a command for the CDK */
function assemblyOf(app: string | undefined, args: readonly string[]): Pick<StageCommand, 'assembly' | 'synthArgs'> {
  if (app !== undefined && existsSync(join(app, 'manifest.json'))) return { assembly: app, synthArgs: null };
  const given = app === undefined ? [] : ['--app', app];
  return { assembly: 'cdk.out', synthArgs: ['synth', '--quiet', ...args, ...given] };
}

/** The values of an option under any of its names, written as `--name value` or as `--name=value`. */
function valuesOf(args: readonly string[], ...names: readonly string[]): string[] {
  return placesOf(args, names).map(({ value }) => value);
}

/** The arguments of these options, with their values. */
function only(args: readonly string[], ...names: readonly string[]): string[] {
  return placesOf(args, names).flatMap(({ from, to }) => args.slice(from, to));
}

function without(args: readonly string[], ...names: readonly string[]): string[] {
  const places = placesOf(args, names);
  return args.filter((_, index) => !places.some(({ from, to }) => index >= from && index < to));
}

/** The places of options with their values: the first argument, and the one after the last. */
function placesOf(
  args: readonly string[],
  names: readonly string[],
): readonly { readonly from: number; readonly to: number; readonly value: string }[] {
  return args.flatMap((arg, from) => {
    const name = names.find((candidate) => arg === candidate || arg.startsWith(`${candidate}=`));
    if (name === undefined) return [];
    return arg === name
      ? [{ from, to: from + 2, value: args[from + 1] ?? '' }]
      : [{ from, to: from + 1, value: arg.slice(name.length + 1) }];
  });
}
