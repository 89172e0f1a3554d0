// The stand-in's Data API: authorizes a request, counts its quota, validates it, and performs it.
import { World } from './api-call.ts';
import type { ApiCall } from './api-call.ts';
import { broadcastMethods } from './broadcasts-api.ts';
import { checkBody, checkQuery, findMethod } from './discovery.ts';
import type { Method } from './discovery.ts';
import { readParts } from './documented-rules.ts';
import type { IngestServer } from './ingest.ts';
import type { StandInSettings } from './life-cycle.ts';
import { countUnits } from './quota.ts';
import { Refused, refusal } from './refused.ts';
import type { Fault, StateStore } from './state.ts';
import { streamMethods } from './streams-api.ts';
import type { Tokens } from './tokens.ts';
import { videoMethods } from './videos-api.ts';

export interface ApiOptions {
  readonly tokens: Tokens;
  readonly store: StateStore;
  readonly settings: StandInSettings;
  readonly clock: () => Date;
  readonly server: () => IngestServer | null;
}

const handlers = { ...broadcastMethods, ...streamMethods, ...videoMethods };

/** @param path path below the origin that replaces the API's */
export async function answerApi(request: Request, path: string, options: ApiOptions): Promise<Response> {
  const method = findMethod(request.method, path);
  if (!method) return refusal(new Refused('notFound'), 'global');
  // `youtube.liveBroadcasts.insert` → `youtube.liveBroadcast`
  const domain = method.id.replace(/s?\.\w+$/, '');
  const { store } = options;
  const fault = takeFault(store, method);
  try {
    const answer = await perform(request, method, options, fault);
    store.save();
    if (fault?.kind === 'lost_answer') return brokenAnswer();
    return answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    store.save();
    return refusal(error, domain);
  }
}

/** @throws {Refused} */
async function perform(request: Request, method: Method, options: ApiOptions, fault: Fault | null): Promise<Response> {
  const { tokens, store, settings, clock, server } = options;
  const { searchParams: query } = new URL(request.url);
  const bearer = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  const consent = bearer === undefined ? null : await tokens.access(bearer);
  if (!consent) throw new Refused('authError');
  if (fault && !doneAllTheSame.has(fault.kind)) throw new Refused(fault.kind);
  countUnits(store.get(), method, settings.dailyUnits, clock());
  if (!consent.scopes.some((scope) => method.scopes.includes(scope))) throw new Refused('insufficientPermissions');
  checkQuery(method, query);
  const parts = readParts(method, query);
  const media = {
    mimeType: request.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await request.arrayBuffer()),
  };
  const body = method.request ? parse(media.bytes) : {};
  checkBody(method, body, parts);
  const { channelID } = consent;
  if (method.id.startsWith('youtube.live') && !store.channel(channelID).liveEnabled)
    throw new Refused('liveStreamingNotEnabled');
  const world = new World(clock(), { settings, store, server: server() });
  const isStuck = fault?.kind === 'stuck';
  const answer = handlers[method.id]!({ channelID, query, parts, body, media, world, isStuck });
  if (answer === null) return new Response(null, { status: 204 });
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}

function parse(bytes: Uint8Array): ApiCall['body'] {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as ApiCall['body'];
  } catch {
    throw new Refused('parseError', 'Parse Error');
  }
}

/** Faults after which the request is performed nevertheless. */
const doneAllTheSame = new Set(['lost_answer', 'stuck']);

function takeFault(store: StateStore, { id }: Method): Fault | null {
  const { faults } = store.get();
  const fault = faults.find(({ method }) => method === '*' || id === `youtube.${method}`) ?? null;
  if (fault && --fault.times === 0) faults.splice(faults.indexOf(fault), 1);
  return fault;
}

/** An answer whose connection breaks before it is complete. */
function brokenAnswer(): Response {
  const body = new ReadableStream({ start: (controller) => controller.close() });
  const headers = { 'content-type': 'application/json', 'content-length': '100', connection: 'close' };
  return new Response(body, { headers });
}
