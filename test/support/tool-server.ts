/**
 * A small MCP server on standard input and output that misbehaves when it is told to:
 * `node tool-server.ts FOLDER`. It keeps in FOLDER/ledger what was posted, a line each, and reads
 * FOLDER/mood.json at each call.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Server, type Tool } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Mood } from './tools.ts'

const [, , folder = '.'] = process.argv
const ledger = join(folder, 'ledger')

function mood(): Mood {
  const file = join(folder, 'mood.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Mood) : {}
}

const text = { type: 'string', description: 'what to post' } as const
const toolsNow = (): Tool[] => [
  {
    name: 'post',
    description: mood().description ?? 'Posts a letter.',
    inputSchema: { type: 'object', properties: { text }, required: ['text'] },
  },
  {
    name: 'posted',
    description: 'Says whether a letter was posted.',
    inputSchema: { type: 'object', properties: { text }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'variables',
    description: 'Names the variables of its environment.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'wait',
    description: 'Takes its time, and reports progress.',
    inputSchema: { type: 'object', properties: { seconds: { type: 'number' } } },
  },
]

function serve(): Server {
  const server = new Server(
    { name: 'letters', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: toolsNow() }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {}, _meta = {} } = params
    const { post = 'answer', ask = 'answer' } = mood()
    if (name === 'post') {
      if (post === 'die-before') process.exit(1)
      const key = (_meta as Record<string, unknown>)['treeos/key']
      appendFileSync(ledger, `${JSON.stringify({ key, text: args.text })}\n`)
      if (post === 'die') process.exit(1)
      if (post === 'hang') await new Promise(() => undefined)
      if (post === 'block') for (;;) Math.sqrt(2)
      return said('posted')
    }
    if (name === 'posted' && ask === 'nothing') return said('who knows')
    if (name === 'posted') {
      const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8') : ''
      return said(lines.includes(`"text":${JSON.stringify(args.text)}`) ? 'it was posted' : 'it was not')
    }
    if (name === 'variables') return said(`${Object.keys(process.env).sort()} ${process.env.LETTERS ?? ''}`)
    const { progressToken } = _meta as { progressToken?: string | number }
    for (let second = 0; second < Number(args.seconds); second += 0.2) {
      await new Promise((done) => setTimeout(done, 200))
      if (mcpReq.signal.aborted) appendFileSync(join(folder, 'cancelled'), 'once\n')
      if (mcpReq.signal.aborted) return said('cancelled')
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: second } })
    }
    return said('waited')
  })
  return server
}

const said = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

serveStdio(serve)
