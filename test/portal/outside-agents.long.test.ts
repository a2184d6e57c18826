/**
 * Agents that others wrote, in Python: the client of the A2A project, and that of the Model Context Protocol.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { issueToken } from '@treeos/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { doAs } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'
import { pythonWith } from '../support/python.ts'

const PACKAGES = ['a2a-sdk==1.3.0', 'mcp==2.3.0']
/** The first run installs them. */
const INSTALL_MS = 400_000

let at: PortalWorld
let programs: string | null
let secret: string
beforeAll(async () => {
  programs = pythonWith(PACKAGES)
  at = await PortalWorld.start()
  await at.serveAnew({ actsPerMinute: 1000 })
  await doAs(at.world, 'set-being', '@kid', { field: 'a2a.public', value: true })
  secret = (await issueToken({ ...at.world, person: 'ada' }, { being: 'ada', as: 'ada' })).secret
}, INSTALL_MS)
afterAll(() => at?.close())

/** What a script prints, a line each. */
async function told(script: string, skip: (why: string) => never): Promise<string[]> {
  if (programs === null) return skip('the registry of Python packages cannot be reached')
  const args = ['-c', script, at.origin, secret]
  const { stdout } = await promisify(execFile)(join(programs, 'python'), args, { timeout: 60_000 })
  return stdout.trim().split('\n')
}

it('the client of A2A finds a public being, speaks to it, whole and as a stream, and follows its task', async ({
  skip,
}) => {
  const script = `
import asyncio, sys, httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageRequest, TaskState

async def main(origin, secret):
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=60) as http:
        for streaming in (False, True):
            client = await ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create_from_url(origin)
            message = new_text_message("hello from A2A", role=Role.ROLE_USER)
            async for event in client.send_message(SendMessageRequest(message=message)):
                last = event
            print(TaskState.Name(last.task.status.state), get_stream_response_text(last))
        task = await client.get_task(GetTaskRequest(id=last.task.id))
        print(task.id == last.task.id, TaskState.Name(task.status.state))

asyncio.run(main(*sys.argv[1:]))
`
  expect(await told(script, skip)).toEqual([
    'TASK_STATE_COMPLETED hello from A2A',
    'TASK_STATE_COMPLETED hello from A2A',
    'True TASK_STATE_COMPLETED',
  ])
})

it('the client of MCP lists the verbs, and acts by them', async ({ skip }) => {
  const script = `
import asyncio, sys
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

async def main(origin, secret):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"})
    async with Client(streamable_http_client(f"{origin}/mcp", http_client=http)) as client:
        print(",".join(sorted(tool.name for tool in (await client.list_tools()).tools)))
        called = await client.call_tool("summon", {"target": "@kid", "content": "hello from MCP", "waitSeconds": 20})
        print(called.is_error, "hello from MCP" in called.content[0].text)
        refused = await client.call_tool("summon", {"target": "@kdi", "content": "hello"})
        print(refused.is_error, "Did you mean @kid?" in refused.content[0].text)

asyncio.run(main(*sys.argv[1:]))
`
  const [tools, ...answers] = await told(script, skip)
  for (const verb of ['be', 'do', 'see', 'summon']) expect(tools?.split(',')).toContain(verb)
  expect(answers).toEqual(['False True', 'True True'])
  expect(at.errors).toEqual([])
})
