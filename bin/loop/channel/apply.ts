// Makes the changes of a plan, one after the other.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProgrammeComparison } from '../../../lambda/web/app/types.ts';
import type { Client } from '../client.ts';
import { LoopFailure } from '../failure.ts';
import { untilLive, untilOffAir } from '../on-air.ts';
import { sendAll } from '../send-files.ts';
import type { Session } from '../session.ts';
import type { Change, Step } from './change.ts';
import { isSecret } from './document.ts';
import type { SecretReference } from './document.ts';
import { comparisonLines } from './print-plan.ts';
import { mapped } from './references.ts';

export interface ApplyOptions extends Omit<Session, 'client'> {
  /** The folder at which paths of secrets begin. */
  readonly folder: string;
}

/** @throws {LoopFailure} at the first change that fails; those before it are made */
export async function applyChanges(client: Client, planned: readonly Change[], options: ApplyOptions): Promise<void> {
  const session = { ...options, client };
  // All secrets are read before the first write.
  const read = (field: string, value: unknown) => (isSecret(field, value) ? readSecret(value, options) : value);
  const changes = mapped(planned, (field, value) => [field, read(field, value)]) as readonly Change[];
  const files = changes.flatMap(({ steps }) => steps).filter((step) => 'file' in step);
  /** Ids by their symbols. */
  const made = new Map<string, string>();
  if (files.length > 0) {
    const media = files.map(({ file }) => file);
    const uploads = await sendAll(session, media);
    for (const [index, { makes }] of files.entries()) made.set(makes, uploads[index]!.id);
  }
  for (const { action, kind, name, steps } of changes) {
    options.printer.progress(`${action} ${kind} ${name}`);
    for (const step of steps) await take(session, step, made);
  }
  options.printer.settle();
}

/** @param made ids by their symbols, to which the step adds that of a thing that it makes */
async function take(session: Session, planned: Step, made: Map<string, string>): Promise<void> {
  const { client, printer } = session;
  const text = JSON.stringify(planned);
  const step = JSON.parse(text.replaceAll(/new:[a-z]+:[^/"]+/g, (symbol) => made.get(symbol) ?? symbol)) as Step;
  if ('compare' in step) {
    const comparison = await client.call<ProgrammeComparison>('GET', `${step.compare}/comparison`);
    for (const line of comparisonLines(comparison)) printer.note(line);
  } else if ('waitFor' in step) await (step.waitFor === 'on_air' ? untilLive : untilOffAir)(session, step.streamID);
  else if ('method' in step) {
    const answer = await client.call<{ id: string } | undefined>(step.method, step.path, step.body);
    if (step.makes !== undefined) made.set(step.makes, answer!.id);
  }
}

/** @throws {LoopFailure} if there is none */
function readSecret(secret: SecretReference, { environment, folder }: ApplyOptions): string {
  const [place, found] =
    'env' in secret
      ? [`variable ${secret.env}`, environment[secret.env]]
      : [`file ${secret.file}`, readText(resolve(folder, secret.file))];
  if (!found?.trim()) throw new LoopFailure('usage', `The secret is missing: there is no ${place}.`);
  return found.trim();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
