// The commands of channel files: plan, apply and export.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { ProgrammeComparison } from '../../../lambda/web/app/types.ts';
import { LoopFailure } from '../failure.ts';
import { readMediaFile, sendAll } from '../send-files.ts';
import type { MediaFile } from '../send-files.ts';
import { untilLive, untilOffAir } from '../on-air.ts';
import { pick } from '../session.ts';
import type { Given, Session } from '../session.ts';
import { nameOfSymbol } from './change.ts';
import type { Change, Plan, Step } from './change.ts';
import { isSecret, readDocument } from './document.ts';
import type { ChannelDocument, SecretReference } from './document.ts';
import { exportedDocument } from './entries.ts';
import { isPath, planChannel } from './planner.ts';
import { readState } from './platform-state.ts';
import { comparisonLines, planLines } from './print-plan.ts';
import { mapped, resolved } from './references.ts';

export interface PlanRequest {
  readonly file: string;
  readonly prune?: true;
  readonly restart?: true;
  readonly renewSecrets?: true;
}

/** A plan, and a function that prints it. */
async function planned({ client, printer }: Session, request: PlanRequest): Promise<{ plan: Plan; show: () => void }> {
  const { prune = false, renewSecrets = false } = request;
  const document = await readDocument(request.file);
  const files = await mediaOf(document, dirname(resolve(request.file)));
  const state = await readState(client);
  const newID = () => `itm_${randomUUID()}`;
  const plan = await planChannel(document, state, { prune, renewSecrets, now: new Date(), files, newID });
  const things = [...state.uploads, ...state.destinations, ...state.collections, ...state.managedSettings];
  const names = new Map<string, string | null>(things.map(({ id, name }) => [id, name]));
  const lines = planLines(plan, (id) => names.get(id) ?? nameOfSymbol(id));
  return { plan, show: () => printer.answer(plan, { lines }) };
}

/** The files that the document names by paths, which begin at its folder. */
async function mediaOf(document: ChannelDocument, folder: string): Promise<ReadonlyMap<string, MediaFile>> {
  const paths = new Set<string>();
  resolved(document, (kind, reference) => {
    if (kind === 'upload' && isPath(reference)) paths.add(reference);
    return reference;
  });
  const found = [...paths].map(async (path) => [path, await readMediaFile(resolve(folder, path))] as const);
  return new Map(await Promise.all(found));
}

/** Prints the changes. @throws {LoopFailure} also if there are changes, and the request is a check */
export async function showPlan(session: Session, request: PlanRequest & { readonly check?: true }): Promise<void> {
  const { plan, show } = await planned(session, request);
  show();
  if (request.check && plan.changes.length > 0)
    throw new LoopFailure('changes', `The platform differs from ${request.file}.`);
}

/** Prints the changes and makes them. @throws {LoopFailure} before the first write if a stream would be interrupted */
export async function apply(session: Session, request: PlanRequest): Promise<void> {
  const { plan, show } = await planned(session, request);
  const isRefused = !request.restart && plan.changes.some(({ interrupts }) => interrupts);
  if (!isRefused) await applyChanges(session, plan.changes, dirname(resolve(request.file)));
  show();
  const reason = 'Nothing was changed: a live stream would be interrupted. Use --restart to allow it.';
  if (isRefused) throw new LoopFailure('refused', reason);
}

/**
 * Makes the changes of a plan, one after the other.
 * @param folder the folder at which paths of secrets begin
 * @throws {LoopFailure} at the first change that fails; those before it are made
 */
export async function applyChanges(session: Session, planned: readonly Change[], folder: string): Promise<void> {
  // All secrets are read before the first write.
  const read = (field: string, value: unknown) =>
    isSecret(field, value) ? readSecret(value, session.environment, folder) : value;
  const changes = mapped(planned, (field, value) => [field, read(field, value)]) as readonly Change[];
  const files = changes.flatMap(({ steps }) => steps).filter((step) => 'file' in step);
  const uploads =
    files.length > 0
      ? await sendAll(
          session,
          files.map(({ file }) => file),
        )
      : [];
  /** Ids by their symbols. */
  const made = new Map(files.map(({ makes }, index) => [makes, uploads[index]!.id]));
  for (const { action, kind, name, steps } of changes) {
    session.printer.progress(`${action} ${kind} ${name}`);
    for (const step of steps) await take(session, step, made);
  }
  session.printer.settle();
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
function readSecret(secret: SecretReference, environment: Session['environment'], folder: string): string {
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

/** Writes a file of all streams, or of one. @param output the path of the file; undefined: to stdout */
export async function exportChannel(session: Session, given: Given, options: { output?: string }): Promise<void> {
  const { output } = options;
  const state = await readState(session.client);
  const streams = given === undefined ? state.streams : [pick(state.streams, given, 'stream')];
  const text = stringify(exportedDocument(state, streams), { aliasDuplicateObjects: false });
  if (output === undefined) process.stdout.write(text);
  else await writeFile(output, text);
}
