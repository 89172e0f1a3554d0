// The official Python client of MCP lists and calls tools, with the default list and with all operations.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { hasPython, pythonEnvironment } from '../support/python-environment.ts';
import { testSite } from '../support/site.ts';

const program = `
import asyncio, json, sys
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

async def main(url, key):
    async with streamablehttp_client(url, headers={"X-API-Key": key}) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
            made = await session.call_tool("create_stream", {"name": "from Python"})
            found = await session.call_tool("find_resources", {"kind": "streams", "q": "Python"})
            operations = await session.call_tool("find_operations", {"query": "delete a stream"})
            name = operations.structuredContent["operations"][0]["name"]
            gone = await session.call_tool("change_operation",
                {"name": name, "arguments": {"id": made.structuredContent["id"]}})
            refused = await session.call_tool("get_stream", {"id": made.structuredContent["id"]})
            print(json.dumps([tools, prompts, found.structuredContent["data"][0]["name"], name, gone.isError,
                refused.isError, refused.structuredContent["problem"]["code"]]))

asyncio.run(main(*sys.argv[1:]))
`;

describe.skipIf(!hasPython())(`the Python client${hasPython() ? '' : ' (skipped: needs python3 with venv)'}`, () => {
  const site = testSite();

  test.each([
    ['default', 25, 31],
    ['all', 100, 200],
  ])('works with the toolset %s', { timeout: 120_000 }, async (toolset, fewest, most) => {
    const bin = await pythonEnvironment('mcp==1.30.0');
    const { id } = await site.user();
    const apiKey = `lss_python_${toolset}`;
    const key = {
      id: `key_${toolset}`,
      userID: id,
      name: 'test',
      keySha256: hashApiKey(apiKey),
      keyStart: 'lss_python',
    };
    await databaseOn(site.pool()).users.ensureKey(key);
    const address = `${site.origin()}/mcp?toolsets=${toolset}`;
    const { stdout } = await promisify(execFile)(`${bin}/python`, ['-c', program, address, apiKey]);
    const [tools, ...others] = JSON.parse(stdout) as [string[], ...unknown[]];
    expect(tools.length).toBeGreaterThanOrEqual(fewest);
    expect(tools.length).toBeLessThanOrEqual(most);
    const prompts = ['put_videos_live', 'explain_stream', 'programme_channel', 'review_air', 'explain_spending'];
    expect(others).toEqual([prompts, 'from Python', 'delete_stream', false, true, 'not_found']);
  });
});
