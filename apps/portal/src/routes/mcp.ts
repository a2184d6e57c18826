import type { Connection, ErrorListener } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { Hono } from 'hono'
import type { Bounds } from '../authorize/bounds.ts'
import { bearerOf } from '../authorize/tokens.ts'
import { requireOwnOrigin } from '../edge/same-site.ts'
import type { Env } from '../portal.ts'

export const MCP_PATH = '/mcp'

/**
 * Answers requests of MCP, and finds out by their access tokens who asks. Which one, the program that serves
 * the portal decides.
 */
export interface McpDoor {
  fetch(request: Request): Promise<Response>
  /** Ends every session and gives every being back. */
  close(): Promise<void>
}

export interface McpDoorOptions {
  /** counts an act of a person @throws {TreeosError} RATE_LIMITED */
  readonly countAct: (person: BeingName) => Promise<void>
  readonly onError: ErrorListener
}

export type OpenMcp = (at: Connection, options: McpDoorOptions) => McpDoor

/**
 * MCP beside the API, as `treeos mcp --http` serves it: its door finds out who asks, by the access token
 * alone. No cookie counts here. Who has no token that holds is counted with the strangers of the API.
 * @param origins of pages elsewhere that may call it
 */
export const mcpRoutes = (
  mcp: McpDoor,
  origins: readonly string[],
  { strangers }: Pick<Bounds, 'strangers'>,
) =>
  new Hono<Env>().all(MCP_PATH, async (c) => {
    if (!origins.includes(c.req.header('origin') ?? '')) requireOwnOrigin(c.req.raw, c.get('host'))
    const answer = await mcp.fetch(c.req.raw)
    if (answer.status === 401 && bearerOf(c.req.raw) !== null) await strangers.unknown(c.get('address'))
    return answer
  })
