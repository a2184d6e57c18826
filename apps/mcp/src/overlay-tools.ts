import { deleteOverlay, type OverlayRequest, overlays, type Seat, setOverlay } from '@treeos/client'
import { type BeingName, type Json, type JsonObject, readText, TreeosError } from '@treeos/core'

type OverlayProperties = Record<string, { type: string; description: string; items?: { type: string } }>

const TIER = { type: 'string', description: 'workspace, account or channel' }
const NAME = {
  type: 'string',
  description: 'its name; of a channel also the channel, unless `channel` names it',
}
const CHANNEL = { type: 'string', description: 'the channel, where it has another name than the overlay' }
const CONTENT = { type: 'string', description: 'the text that later calls of models get, at most 8 KiB' }
const APPLIES_TO = {
  type: 'array',
  items: { type: 'string' },
  description: 'names of Signatures; left out, the entry Signature of what is dispatched',
}

/**
 * Stored overlays. Only the seat of a person has these tools: an overlay that a model may set would be words
 * that an agent writes for its own later calls. An account is that of the person itself.
 */
export const OVERLAY_TOOLS = [
  tool('list_overlays', 'List the stored overlays that I may read.', {}, []),
  tool(
    'set_overlay',
    'Store an overlay, in place of the one with its name. It is text for calls of models and grants nothing.',
    { tier: TIER, name: NAME, content: CONTENT, channel: CHANNEL, appliesTo: APPLIES_TO },
    ['tier', 'name', 'content'],
  ),
  tool('delete_overlay', 'Delete a stored overlay.', { tier: TIER, name: NAME, channel: CHANNEL }, [
    'tier',
    'name',
  ]),
] as const

function tool(name: string, description: string, properties: OverlayProperties, required: string[]) {
  return {
    name,
    description,
    inputSchema: { type: 'object' as const, properties, required },
    annotations: { readOnlyHint: name === 'list_overlays', openWorldHint: false },
  }
}

/**
 * Lists, sets or deletes stored overlays as the person of the seat.
 * @throws {TreeosError} FORBIDDEN for a being that is not a person; INVALID_INPUT; PAYLOAD_TOO_LARGE
 */
export function callOverlayTool(seat: Seat, name: string, args: JsonObject): Promise<object> {
  if (name === 'list_overlays') return seat.use(async (at, as) => ({ overlays: await overlays(at, as) }))
  if (name === 'delete_overlay') return seat.act((at, as) => deleteOverlay(at, requestOf(args, as)))
  const { content = null } = args
  const appliesTo = listIn(args.appliesTo)
  const overlay = { content, ...(appliesTo === null ? {} : { appliesTo }) }
  return seat.act((at, as) => setOverlay(at, requestOf(args, as), overlay))
}

/** A client may write a list as the text of its JSON. Any other text is refused as what it is. */
function listIn(value: Json | undefined): Json {
  if (typeof value !== 'string' || !value.trimStart().startsWith('['))
    return value === '' ? null : (value ?? null)
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

function requestOf(args: JsonObject, as: BeingName): OverlayRequest {
  const [tier, name] = [readText(args, 'tier'), readText(args, 'name')]
  if (tier === null || name === null)
    throw new TreeosError('INVALID_INPUT', `${tier === null ? 'tier' : 'name'} is missing; it takes a text`)
  return { as, tier, name, channel: readText(args, 'channel') ?? undefined }
}
