import { asJson, isJsonObject, type JsonObject, quote, TreeosError } from '@treeos/core'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { ACCEPTED_TOOLS, type WorldReader } from '@treeos/world'
import { z } from 'zod'

export const ACCEPT = 'tools:accept'
const NAMESPACE = ACCEPTED_TOOLS

/**
 * Keeps in the record which tools the operator accepted: the quality `tools.<server>` of the root holds
 * `{digest, read?: true}` of each. It outlives the file of a worker, and who reads the record sees when a tool was accepted
 * and by whom.
 */
export const acceptance = defineExtension({
  name: NAMESPACE,
  version: '1.0.0',
  operations: [
    defineOperation({
      name: ACCEPT,
      description:
        'Accepts the tools of an outside server as they are declared now; no tools: none any more.',
      on: 'space',
      allow: ['operator'],
      args: z.strictObject({
        server: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
          .describe('its name in the list of servers'),
        tools: z
          .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().regex(/^[0-9a-f]{64}$/))
          .describe('by the name of each tool, the digest of its declaration'),
        reads: z
          .array(z.string())
          .optional()
          .describe('those that only read, which a model may call several of in one answer'),
      }),
      decide({ target, args }) {
        if (target.path !== '/')
          throw new TreeosError(
            'INVALID_INPUT',
            `tools are accepted for the whole reality: on /, not on ${target.path}`,
          )
        const { server, tools, reads = [] } = args
        const unknown = reads.find((name) => !Object.hasOwn(tools, name))
        if (unknown !== undefined)
          throw new TreeosError('INVALID_INPUT', `reads names ${quote(unknown)}, which is none of the tools`)
        const accepted: [string, AcceptedTool][] = Object.entries(tools).map(([name, digest]) => [
          name,
          { digest, ...(reads.includes(name) ? { read: true } : {}) },
        ])
        const value = accepted.length === 0 ? null : asJson(Object.fromEntries(accepted))
        return {
          facts: [setQuality(target, `${NAMESPACE}.${server}`, value)],
          result: { server, tools, ...(reads.length === 0 ? {} : { reads }) },
        }
      },
    }),
  ],
})

/** What the record holds of a tool. */
export interface AcceptedTool {
  /** of its declaration */
  readonly digest: string
  /** the operator declared that it only reads */
  readonly read?: true
}

/** What the record holds of the tools of a server, by their names. */
export function acceptedOn(
  root: { readonly qualities: JsonObject } | null,
  server: string,
): Readonly<Record<string, AcceptedTool>> {
  const all = root?.qualities[NAMESPACE] ?? null
  const one = isJsonObject(all) ? (all[server] ?? null) : null
  return isJsonObject(one) ? (one as unknown as Record<string, AcceptedTool>) : {}
}

/** @throws {TreeosError} FORBIDDEN when the record holds another digest, or none */
export async function requireAccepted(
  { server, tool, digest }: { readonly server: string; readonly tool: string; readonly digest: string },
  world: WorldReader,
): Promise<void> {
  const accepted = acceptedOn(await world.space('/'), server)[tool]?.digest
  if (accepted === digest) return
  throw new TreeosError(
    'FORBIDDEN',
    accepted === undefined
      ? `${server}:${tool} is not accepted: the operator has to accept the tools of ${server}`
      : `${server}:${tool} is declared in another way than the operator accepted: the operator can compare both, and accept it as it is now`,
  )
}
