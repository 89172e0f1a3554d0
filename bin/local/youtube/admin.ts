// The stand-in's own page: shows its state, and injects faults.
import { html } from 'hono/html';
import * as z from 'zod';
import { World } from './api-call.ts';
import type { ApiOptions } from './api.ts';
import { healthStatusOf } from './ingest.ts';
import { usedUnits } from './quota.ts';
import { standInChannels } from './videos-api.ts';

/** The actions of the page. @property channelID of the actions that are about one channel */
const action = z.object({
  action: z.enum([
    'revoke',
    'exhaust',
    'renew_quota',
    'disable_live',
    'enable_live',
    'occupy',
    'release',
    'fault',
    'forget_faults',
    'reset',
  ]),
  channelID: z.string().default(standInChannels[0].id),
  /** Method of a fault: `liveBroadcasts.insert`, or `*`. */
  method: z.string().default('*'),
  /** Kind of a fault: `lost_answer`, `stuck`, or a reason such as `backendError`. */
  kind: z.string().default('lost_answer'),
  times: z.coerce.number().int().min(1).max(1000).default(1),
});
export type AdminAction = z.input<typeof action>;

/** GET shows the state, as a page or as JSON. POST performs an action, by a form or by JSON. */
export async function answerAdmin(request: Request, path: string, options: ApiOptions): Promise<Response> {
  if (request.method === 'POST') {
    const text = await request.text();
    const isJSON = request.headers.get('content-type')?.startsWith('application/json') ?? false;
    const { data } = action.safeParse(isJSON ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text)));
    if (!data) return Response.json({ error: 'unknown action' }, { status: 400 });
    act(data, options);
    if (!isJSON) return new Response(null, { status: 303, headers: { location: request.url } });
  }
  const shown = show(options);
  if (request.method === 'POST' || path.endsWith('.json')) return Response.json(shown);
  return page(shown);
}

function act({ action: what, channelID, method, kind, times }: z.output<typeof action>, options: ApiOptions): void {
  const { store, settings, clock } = options;
  const state = store.get();
  const channel = store.channel(channelID);
  const does: Readonly<Record<typeof what, () => unknown>> = {
    revoke: () => channel.grantGeneration++,
    exhaust: () => (state.quota.used = Math.max(settings.dailyUnits, usedUnits(state, clock()))),
    renew_quota: () => (state.quota.used = 0),
    disable_live: () => (channel.liveEnabled = false),
    enable_live: () => (channel.liveEnabled = true),
    occupy: () => (channel.othersLive = settings.livePerChannel),
    release: () => (channel.othersLive = 0),
    fault: () => state.faults.push({ method, kind, times }),
    forget_faults: () => (state.faults = []),
    reset: () => store.reset(),
  };
  does[what]();
  store.save();
}

/** The state, without stream keys. */
function show({ store, settings, clock, server }: ApiOptions) {
  const world = new World(clock(), { store, settings, server: server() });
  const state = store.get();
  return {
    quota: { used: usedUnits(state, clock()), daily: settings.dailyUnits },
    channels: standInChannels.map(({ id, title }) => {
      const { liveEnabled, othersLive } = store.channel(id);
      return { id, title, liveEnabled, othersLive };
    }),
    broadcasts: world.broadcasts.map((broadcast) => ({
      id: broadcast.id,
      channelID: broadcast.channelID,
      title: broadcast.snippet['title'],
      description: broadcast.snippet['description'],
      scheduledStartTime: broadcast.snippet['scheduledStartTime'],
      privacyStatus: broadcast.status['privacyStatus'],
      lifeCycle: broadcast.lifeCycle,
      streamID: broadcast.boundStreamID,
      tags: broadcast.tags,
      hasThumbnail: broadcast.hasThumbnail,
      actualStartTime: timeOf(broadcast.actualStartAt),
      actualEndTime: timeOf(broadcast.actualEndAt),
    })),
    streams: world.streams.map((stream) => {
      const facts = world.factsOf(stream);
      const { id, channelID, snippet } = stream;
      const issues = facts.issues.map(({ type }) => type);
      const isActive = facts.activeSince !== null;
      return { id, channelID, title: snippet['title'], isActive, health: healthStatusOf(facts), issues };
    }),
    faults: state.faults,
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

const forAll = [
  ['exhaust', 'Use the quota up'],
  ['renew_quota', 'Renew it'],
  ['reset', 'Forget everything'],
] as const;
const forOneChannel = [
  ['revoke', 'Revoke the grants'],
  ['disable_live', 'Live off'],
  ['enable_live', 'Live on'],
  ['occupy', 'Occupy'],
  ['release', 'Release'],
] as const;

async function page(shown: ReturnType<typeof show>): Promise<Response> {
  const button = (what: AdminAction['action'], label: string, channelID = '') =>
    html`<form method="post">
      <input type="hidden" name="action" value="${what}" />
      ${channelID && html`<input type="hidden" name="channelID" value="${channelID}" />`}
      <button>${label}</button>
    </form>`;
  const text = await html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>YouTube (local)</title>
      <style>
        :root {
          color-scheme: light dark;
          font: 16px/1.5 system-ui;
        }
        form {
          display: inline-block;
        }
      </style>
      <h1>YouTube (local)</h1>
      <p>${shown.quota.used} of ${shown.quota.daily} units used today.</p>
      ${forAll.map(([what, label]) => button(what, label))}
      ${shown.channels.map(
        ({ id, title, liveEnabled, othersLive }) =>
          html`<h2>${title}</h2>
            <p>Live streaming is ${liveEnabled ? 'on' : 'off'}; ${othersLive} other broadcasts are live.</p>
            ${forOneChannel.map(([what, label]) => button(what, label, id))}
            <ul>
              ${shown.broadcasts
                .filter(({ channelID }) => channelID === id)
                .map((broadcast) => html`<li>${broadcast.title}: ${broadcast.lifeCycle}</li>`)}
            </ul>`,
      )}
      <h2>What goes wrong next</h2>
      <form method="post">
        <input type="hidden" name="action" value="fault" />
        <input name="method" value="liveBroadcasts.insert" aria-label="Method" />
        <input name="kind" value="lost_answer" aria-label="Kind" />
        <input name="times" value="1" size="3" aria-label="Times" />
        <button>Add</button>
      </form>
      ${button('forget_faults', 'Nothing')}
      <pre>${JSON.stringify(shown, null, 2)}</pre>
    </html>`;
  return new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } });
}
