/**
 * 7. A program that acts as one being by the Model Context Protocol, as an outside model does. Example 5 or
 *   `treeos up`
 * has to run.
 *   DATABASE_URL=… TREEOS_PEOPLE_DATABASE_URL=… TEMPORAL_CONFIG_FILE=… node examples/07-mcp.ts
 */
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

// The command `treeos mcp --as @operator`, started as Node starts it.
const treeos = fileURLToPath(import.meta.resolve('@treeos/cli/main'))
const env = Object.fromEntries(
  Object.entries(process.env).filter(([, value]) => value !== undefined),
) as Record<string, string>
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [treeos, 'mcp', '--as', '@operator'], env }),
)

const { tools } = await client.listTools()
console.log(tools.map(({ name }) => name).join(', '))
const summoned = await client.callTool({
  name: 'summon',
  arguments: { target: '@flora', content: 'How are the figs?', waitSeconds: 30 },
})
console.log(JSON.stringify(summoned.structuredContent ?? summoned.content))
await client.close()
