// Makes the changes of a plan, one after the other.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../client.ts';
import { LoopFailure } from '../failure.ts';
import { untilLive, untilOffAir } from '../on-air.ts';
import { sendAll } from '../up.ts';
import type { SendAllOptions } from '../up.ts';
import type { Change, Step } from './change.ts';
import type { SecretReference } from './document.ts';
import { secretIn } from './part-changes.ts';
import { comparisonLines } from './print-plan.ts';
import type { Comparison } from './print-plan.ts';
import type { Plain } from './references.ts';

export interface ApplyOptions extends SendAllOptions {
  /** The folder at which paths of secrets begin. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** @throws {LoopFailure} at the first change that fails; those before it are made */
export async function applyChanges(client: Client, changes: readonly Change[], options: ApplyOptions): Promise<void> {
  const steps = changes.flatMap(({ steps }) => steps);
  // All secrets are read before the first write.
  const secrets = await readSecrets(steps, options);
  /** Ids by their symbols. */
  const made = new Map<string, string>();
  const files = steps.filter((step) => 'file' in step);
  if (files.length > 0) {
    const sent = await sendAll(
      client,
      files.map(({ file }) => file),
      options,
    );
    for (const [index, { makes }] of files.entries()) made.set(makes, sent[index]!.id);
  }
  for (const change of changes) {
    options.printer.progress(`${change.action} ${change.kind} ${change.name}`);
    for (const step of change.steps) await take(client, step, { made, secrets, options });
  }
  options.printer.settle();
}

interface Known {
  readonly made: Map<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly options: ApplyOptions;
}

async function take(client: Client, step: Step, { made, secrets, options }: Known): Promise<void> {
  const withIDs = (text: string) => text.replaceAll(/new:[a-z]+:[^/"]+/g, (symbol) => made.get(symbol) ?? symbol);
  if ('file' in step) return;
  if ('compare' in step) {
    const comparison = await client.call<Comparison>('GET', `${withIDs(step.compare)}/comparison`);
    for (const line of comparisonLines(comparison)) options.printer.note(line);
    return;
  }
  if ('waitFor' in step) {
    const streamID = withIDs(step.streamID);
    await (step.waitFor === 'on_air' ? untilLive : untilOffAir)(client, streamID, options);
    return;
  }
  const body = step.body && filled(step.body, secrets, withIDs);
  const answer = await client.call<{ id?: string } | undefined>(step.method, withIDs(step.path), body);
  if (step.makes !== undefined) made.set(step.makes, answer!.id!);
}

/** The body of a request, with ids and secrets in place of their names. */
function filled(body: Plain, secrets: Known['secrets'], withIDs: (text: string) => string): object {
  return JSON.parse(withIDs(JSON.stringify(body)), (_field, value: unknown) => {
    const secret = secretIn(value);
    return secret ? secrets.get(JSON.stringify(secret)) : value;
  }) as object;
}

/** Reads the secrets that requests name, by their references as JSON. @throws {LoopFailure} if one is missing */
async function readSecrets(
  steps: readonly Step[],
  { environment, folder }: ApplyOptions,
): Promise<ReadonlyMap<string, string>> {
  const references = new Map<string, SecretReference>();
  JSON.stringify(steps, (_field, value: unknown) => {
    const secret = secretIn(value);
    if (secret) references.set(JSON.stringify(secret), secret);
    return value;
  });
  const read = [...references].map(async ([key, secret]) => {
    const [place, found] =
      'env' in secret
        ? [`variable ${secret.env}`, environment[secret.env]]
        : [`file ${secret.file}`, await readFile(resolve(folder, secret.file), 'utf8').catch(() => '')];
    if (!found?.trim()) throw new LoopFailure('usage', `The secret is missing: there is no ${place}.`);
    return [key, found.trim()] as const;
  });
  return new Map(await Promise.all(read));
}
