import type { AgentCard } from '@a2a-js/sdk'
import { publicBeings } from '@treeos/client'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import manifest from '../../package.json' with { type: 'json' }
import { A2A_PATH } from '../api/path.ts'
import type { Portal } from '../portal.ts'

/** The versions of the protocol that are spoken. */
export const PROTOCOL = '1.0'
const TEXT = 'text/plain'
/** Of files, which become things: what minds are shown of them. */
const TAKEN = [
  TEXT,
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/csv',
  'application/json',
  'application/pdf',
]
const SCHEME = 'token'

/**
 * What agents of others may know of a being. It is told to everybody, so it holds what the being's maker
 * wrote for that alone.
 */
function cardOf(being: BeingName, description: string, origin: string): AgentCard {
  return {
    name: stanceOf(being),
    description,
    version: manifest.version,
    provider: undefined,
    supportedInterfaces: [
      {
        url: `${origin}${A2A_PATH}/${being}`,
        protocolBinding: 'JSONRPC',
        protocolVersion: PROTOCOL,
        tenant: '',
      },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    defaultInputModes: TAKEN,
    defaultOutputModes: [TEXT],
    skills: [
      {
        id: 'talk',
        name: `Talk to ${stanceOf(being)}`,
        description,
        tags: ['conversation'],
        examples: [],
        inputModes: TAKEN,
        outputModes: [TEXT],
        securityRequirements: [],
      },
    ],
    securitySchemes: {
      [SCHEME]: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'an access token', scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { [SCHEME]: { list: [] } } }],
    signatures: [],
  }
}

/**
 * The card of a being that its maker made public.
 * @param name null: the one that stands for the reality, or the only one
 * @throws {TreeosError} BEING_NOT_FOUND for any other, whether it exists or not
 */
export async function publicCard({ at }: Portal, name: BeingName | null, origin: string): Promise<AgentCard> {
  const known = await publicBeings(at)
  const found =
    name !== null
      ? known.find(({ being }) => being === name)
      : (known.find(({ isFront }) => isFront) ?? (known.length === 1 ? known[0] : undefined))
  if (found !== undefined) return cardOf(found.being, found.description, origin)
  throw new TreeosError('BEING_NOT_FOUND', 'no being is public at this address')
}
