// The commands of channel files: plan, apply and export.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { stringify } from 'yaml';
import { LoopFailure } from '../failure.ts';
import { readMediaFile } from '../media-folder.ts';
import type { MediaFile } from '../media-folder.ts';
import { pick } from '../named-things.ts';
import type { Given } from '../named-things.ts';
import type { Session } from '../session.ts';
import { applyChanges } from './apply.ts';
import { nameOfSymbol } from './change.ts';
import type { Plan } from './change.ts';
import type { ChannelDocument } from './document.ts';
import { exportedDocument } from './export.ts';
import { isPath, planChannel } from './planner.ts';
import { readState } from './platform-state.ts';
import { planLines } from './print-plan.ts';
import { readDocument } from './read-document.ts';
import { resolved } from './references.ts';

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
  if (!isRefused)
    await applyChanges(session.client, plan.changes, { ...session, folder: dirname(resolve(request.file)) });
  show();
  const reason = 'Nothing was changed: a live stream would be interrupted. Use --restart to allow it.';
  if (isRefused) throw new LoopFailure('refused', reason);
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
