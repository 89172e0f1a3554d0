// The commands of channel files: plan, apply, export and schema.
import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { Client } from '../client.ts';
import { LoopFailure } from '../failure.ts';
import { readMediaFile } from '../media-folder.ts';
import type { MediaFile } from '../media-folder.ts';
import { pick } from '../named-things.ts';
import type { Printer } from '../terminal.ts';
import { applyChanges } from './apply.ts';
import type { ApplyOptions } from './apply.ts';
import { nameOfSymbol } from './change.ts';
import type { Plan } from './change.ts';
import type { ChannelDocument } from './document.ts';
import { exportedDocument } from './export.ts';
import { isPath, planChannel } from './planner.ts';
import { readState } from './platform-state.ts';
import type { PlatformState } from './platform-state.ts';
import { planLines } from './print-plan.ts';
import { readDocument } from './read-document.ts';
import { resolved } from './references.ts';

export interface PlanRequest {
  readonly file: string;
  readonly prune: boolean;
  readonly restart: boolean;
  readonly renewSecrets: boolean;
}

async function plan(client: Client, request: PlanRequest): Promise<{ plan: Plan; state: PlatformState }> {
  const document = await readDocument(request.file);
  const files = await mediaOf(document, dirname(resolve(request.file)));
  const state = await readState(client);
  const newID = () => `itm_${randomUUID()}`;
  return { plan: await planChannel(document, state, { ...request, now: new Date(), files, newID }), state };
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

function show(printer: Printer, planned: Plan, state: PlatformState): void {
  const things = [...state.uploads, ...state.destinations, ...state.collections, ...state.managedSettings];
  const names = new Map<string, string | null>(things.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? nameOfSymbol(id);
  printer.answer(planned, { lines: planLines(planned, nameOf) });
}

/**
 * Prints the changes.
 * @param isCheck whether changes are a failure
 * @throws {LoopFailure}
 */
export async function showPlan(
  client: Client,
  printer: Printer,
  request: PlanRequest,
  isCheck: boolean,
): Promise<void> {
  const { plan: planned, state } = await plan(client, request);
  show(printer, planned, state);
  if (isCheck && planned.changes.length > 0)
    throw new LoopFailure('changes', `The platform differs from ${request.file}.`);
}

/** Prints the changes and makes them. @throws {LoopFailure} before the first write if a stream would be interrupted */
export async function apply(
  client: Client,
  request: PlanRequest,
  options: Omit<ApplyOptions, 'folder'>,
): Promise<void> {
  const { plan: planned, state } = await plan(client, request);
  if (!request.restart && planned.changes.some(({ interrupts }) => interrupts)) {
    show(options.printer, planned, state);
    throw new LoopFailure(
      'refused',
      'Nothing was changed: a live stream would be interrupted. Use --restart to allow it.',
    );
  }
  await applyChanges(client, planned.changes, { ...options, folder: dirname(resolve(request.file)) });
  show(options.printer, planned, state);
}

/** Writes a file of all streams, or of one. @param path null: to stdout */
export async function exportChannel(
  client: Client,
  given: string | undefined,
  path: string | undefined,
): Promise<void> {
  const state = await readState(client);
  const streams = given === undefined ? state.streams : [pick(state.streams, given, 'stream')];
  const text = stringify(exportedDocument(state, streams), { aliasDuplicateObjects: false });
  if (path === undefined) process.stdout.write(text);
  else await writeFile(path, text);
}
