import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server'
import { type ErrorListener, refusalOf, type Seat } from '@treeos/client'
import { stanceOf, TreeosError } from '@treeos/core'
import manifest from '../package.json' with { type: 'json' }
import { tellProgress } from './progress.ts'
import { toldByMcp } from './remedies.ts'
import { RESOURCE_TEMPLATES, RESOURCES, readResource } from './resources.ts'
import { callTool, seatTools } from './tools.ts'

/**
 * The MCP server of one seat: the four verbs, for a person also the tools for overlays, and two resources.
 */
export function createBeingServer(seat: Seat, onError: ErrorListener): Server {
  const server = new Server(
    { name: 'treeos', version: manifest.version },
    { capabilities: { tools: {}, resources: {} }, instructions: instructionsFor(seat) },
  )
  const tell = (where: string, error: unknown): TreeosError => {
    const refusal = toldByMcp(refusalOf(error))
    if (!(error instanceof TreeosError)) onError(where, error)
    return refusal
  }
  server.setRequestHandler('tools/list', async () => {
    const tools = await seatTools(seat).catch((error: unknown) => {
      const refusal = tell('tools/list', error)
      throw new ProtocolError(ProtocolErrorCode.InternalError, refusal.message, refusal.toJSON())
    })
    return { tools }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const end = tellProgress(mcpReq, (error) => onError('progress', error))
    try {
      return result(await callTool(seat, params.name, params.arguments, mcpReq.signal))
    } catch (error) {
      return { ...result(tell(params.name, error).toJSON()), isError: true }
    } finally {
      end()
    }
  })
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const reading = readResource(seat, uri)
    if (reading === null) throw new ResourceNotFoundError(uri)
    const value = await reading.catch((error: unknown) => {
      const refusal = tell(uri, error)
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, refusal.message, refusal.toJSON())
    })
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value) }] }
  })
  return server
}

/** The same value twice, as the protocol asks: as text for models, and structured for programs. */
const result = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: value as Record<string, unknown>,
})

const instructionsFor = ({ bearer }: Seat): string =>
  `You act as ${stanceOf(bearer.being)}, a being of a TreeOS reality, by its own permissions. Read treeos://me for who you \
are and what you may reach for, and treeos://inbox for what waits for your answer. What is refused says why, and nothing \
is written then.`
