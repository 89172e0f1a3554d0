// A server process for the bench of the API: the REST surface, or the bare server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { connectLocally } from '../../bin/local/connections.ts';
import { localSettings } from '../../lambda/settings.ts';
import { createRestService } from '../../lambda/api/create-rest-service.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { createBareServer } from './api-bare.ts';

const [kind = '', databaseURL = '', objectsFolder = ''] = process.argv.slice(2);
const masterKeyFile = join(objectsFolder, 'master.key');
await writeFile(masterKeyFile, Buffer.alloc(32));
const siteURL = 'http://127.0.0.1';
const settings = { databaseURL, serviceSecret: 'bench', masterKeyFile, objectsFolder, siteURL };
const connections = await connectLocally(settings, 20, () => {});

const bare = () => getRequestListener(createBareServer(connections.pool, connections.objects).fetch);
const listeners = { platform, bare };
const listener = listeners[kind as keyof typeof listeners]();
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

function platform() {
  const rules = { ...localSettings, allowPrivateAddresses: true, rateLimitFactor: 1000, limitFactor: 1000 };
  const rest = createRestHandler(createRestService(connections, rules, () => {}));
  return getRequestListener((request, { incoming }) => rest(request, incoming.socket.remoteAddress ?? ''));
}
