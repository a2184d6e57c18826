import { asJson, defineOperation, type RoleFlow } from '@treeos/sdk'
import { z } from 'zod'
import {
  ceilingOf,
  everySecondsOf,
  modelArgs,
  type Profile,
  promptOf,
  recordOf,
  setProfilePart,
  shownRole,
} from './child.ts'
import type { LineageConfig } from './config.ts'
import { findRole, requireRole } from './custom-roles.ts'
import { GENESIS_BYTES_MAX, MESSAGE_CHARS_MAX, requireHarmless, SPECIALIZATION_CHARS_MAX } from './genesis.ts'
import { requireWithinLimits } from './limits.ts'
import { isBuiltIn, type RoleConfig, type Tool } from './roles.ts'
import { startWithin } from './text-size.ts'

/**
 * The flow of a child. A built-in role has a role of its own. A role that a parent defined is made of one
 * that holds nothing and one for each tool, so the parent can give only tools within its own reach.
 */
export function flowOf(role: string, { allowedTools = [] }: Pick<RoleConfig, 'allowedTools'>): RoleFlow {
  if (isBuiltIn(role)) return [{ role: `lineage:${role}` }]
  return [{ role: CUSTOM }, ...allowedTools.map((tool) => ({ stack: true, role: toolRole(tool) }))]
}
export const CUSTOM = 'lineage:custom'
const GENERALIST = 'generalist'
export const toolRole = (tool: Tool): string => `lineage:tool-${tool.replaceAll('_', '-')}`

export const spawnChild = (config: LineageConfig) =>
  defineOperation({
    name: 'lineage:spawn-child',
    description: 'Spawns a child with its own focus and role: model, tools, heartbeat and token budget.',
    on: 'being',
    allow: ['self'],
    args: z.strictObject({
      name: z.string().min(1).max(64).describe('the new name, unique for ever'),
      specialization: z.string().max(SPECIALIZATION_CHARS_MAX).optional().describe('its specific focus'),
      role: z
        .string()
        .max(64)
        .optional()
        .describe('generalist, writer, analyst, guardian, or one that you defined; generalist when left out'),
      message: z.string().max(MESSAGE_CHARS_MAX).optional().describe('what it is told first'),
      script: z.string().max(100).optional().describe('a script that decides for it, in place of a model'),
    }),
    async decide({ actor, args, world, openedAt, carryOut }) {
      const { name, specialization = null, message = null, script = null } = args
      for (const [field, text] of Object.entries({ name, specialization, message }))
        if (text !== null) requireHarmless(field, text)
      // A role that there is not is that of a generalist, as the seed says; the result tells it.
      const asked = await findRole(config, { world, parent: actor }, args.role ?? GENERALIST)
      const role = asked === null ? GENERALIST : (args.role ?? GENERALIST)
      const settled = asked ?? (await requireRole(config, { world, parent: actor }, GENERALIST))
      await requireWithinLimits(config, { world, actor, openedAt })
      const everySeconds = everySecondsOf(config.heartbeatSeconds, settled)
      const born = {
        name,
        role: isBuiltIn(role) ? `lineage:${role}` : CUSTOM,
        roleFlow: flowOf(role, settled),
        ceiling: ceilingOf(settled),
        schedules: { heartbeat: { everySeconds, content: 'heartbeat' } },
        ...(script === null
          ? { cognition: 'llm', ...modelArgs(actor, settled) }
          : { cognition: 'scripted', script }),
      }
      await carryOut({ operation: 'birth', args: asJson(born) })
      const profile: Profile = {
        role,
        state: 'starting',
        asleep: false,
        heartbeatSeconds: everySeconds,
        genesis: {
          prompt: startWithin(promptOf(actor), GENESIS_BYTES_MAX),
          specialization,
          role: shownRole(role, settled),
          parent: { name: actor.name, address: `@${actor.name}` },
        },
      }
      return {
        facts: [
          setProfilePart(name, null, asJson(profile)),
          recordOf(name, 'lineage:spawned', {
            parent: `@${actor.name}`,
            role,
            state: profile.state,
            message,
            genesis: asJson(profile.genesis),
          }),
        ],
        result: {
          child: `@${name}`,
          role,
          heartbeatSeconds: everySeconds,
          ...(asked === null ? { unknown: args.role ?? null } : {}),
        },
        ...(message === null
          ? {}
          : { awakens: [{ being: name, content: { event: 'spawned', actor: `@${actor.name}`, message } }] }),
      }
    },
  })
