// A server process for the bench of the API: the REST surface, or the same SQL behind bare hono.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { connectLocally } from '../../bin/local/connections.ts';
import { localSettings } from '../../lambda/settings.ts';
import { createService } from '../../lambda/api/create-service.ts';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';

const [kind = '', databaseURL = '', objectsFolder = ''] = process.argv.slice(2);
const masterKeyFile = join(objectsFolder, 'master.key');
await writeFile(masterKeyFile, Buffer.alloc(32));
const siteURL = 'http://127.0.0.1';
const settings = { databaseURL, serviceSecret: 'bench', masterKeyFile, objectsFolder, siteURL };
const connections = await connectLocally(settings, 20, () => {});
const { pool } = connections;

const listeners = { platform, bare };
const listener = listeners[kind as keyof typeof listeners]();
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

function platform() {
  const rules = { ...localSettings, allowPrivateAddresses: true, rateLimitFactor: 1000, limitFactor: 1000 };
  const rest = createRestHandler(createService(connections, rules, () => {}));
  return getRequestListener((request, { incoming }) => rest(request, incoming.socket.remoteAddress ?? ''));
}

const nothing = { q: null, tags: null, type: null, probeState: null };
const everything = { ...nothing, inFolder: null, belowFolder: null, hasFindings: null };

/** Runs the same statements without catalogue, checks, problems and contract, to measure their cost alone. */
function bare() {
  const app = new Hono<{ Variables: { userID: string } }>();
  const data = databaseOn(pool);
  app.use(async (c, next) => {
    const owner = await data.users.ownerOfKey(hashApiKey(c.req.header('x-api-key') ?? ''));
    if (!owner) return c.json({}, 401);
    await data.requestWindows.count(`user ${owner.user_id}`, c.req.method === 'GET' ? 'read' : 'write', 1);
    c.set('userID', owner.user_id);
    return next();
  });
  app.get('/v1/uploads', async (c) => {
    const limit = Number(c.req.query('limit') ?? 20);
    const newestFirst = { by: 'createdAt', descending: true } as const;
    return c.json({ data: await data.uploadLists.search(c.get('userID'), everything, newestFirst, null, limit + 1) });
  });
  app.get('/v1/uploads/:id', async (c) => c.json(await data.uploads.find(c.get('userID'), c.req.param('id'))));
  app.post('/v1/uploads', async (c) => {
    const { name, mimeType } = await c.req.json<{ name: string; mimeType: string }>();
    const id = newID('upl', new Date());
    const upload = {
      id,
      userID: c.get('userID'),
      name,
      mimeType,
      type: 'video' as const,
      objectKey: id,
      declaredSizeBytes: null,
      expectedBytes: 0,
    };
    const made = await inTransaction(pool, (transaction) => transaction.uploads.insert(upload));
    return c.json(made, 201);
  });
  return getRequestListener(app.fetch);
}
