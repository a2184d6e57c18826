import {
  asJson,
  type BeingRow,
  type CarryOut,
  defineOperation,
  type RoleFlow,
  TreeosError,
} from '@treeos/sdk'
import { z } from 'zod'
import {
  ceilingOf,
  everySecondsOf,
  isLiving,
  modelArgs,
  moved,
  type Profile,
  recordOf,
  requireOwnChild,
  STOPPED,
  setProfilePart,
  shownRole,
} from './child.ts'
import type { LineageConfig } from './config.ts'
import { defineChildRole, requireRole } from './custom-roles.ts'
import { requireHarmless } from './genesis.ts'
import { CHILD_STATES } from './lifecycle.ts'
import { requireRoomForChild } from './limits.ts'
import { flowOf } from './spawn.ts'
import { beat, still } from './work.ts'

const child = z.string().max(64).describe('stance of your child')

/** Roles whose children start again by themselves when they fail. */
const RESTARTED: readonly string[] = ['guardian']

const moveChild = (config: LineageConfig) =>
  defineOperation({
    name: 'lineage:move-child',
    description:
      'Moves a child along its life: unhealthy, failed, stopped, starting (again) or cleaned_up, which ends it. A guardian that fails starts again at once.',
    on: 'being',
    allow: ['self'],
    args: z.strictObject({
      child,
      to: z.enum(CHILD_STATES).describe('the new state'),
      reason: z.string().min(1).max(500).describe('why'),
      task: z
        .string()
        .max(2000)
        .optional()
        .describe('what it is started again for; one that sleeps needs a task'),
    }),
    async decide({ actor, world, args, carryOut }) {
      const { to, reason, task } = args
      requireHarmless('reason', reason)
      if (task !== undefined) requireHarmless('task', task)
      const kid = await requireOwnChild(world, actor, args.child)
      const { name, profile } = kid
      const facts = moved(name, profile.state, to, reason)
      if (to === 'starting') {
        if (profile.genesis.role.autoSleep && task === undefined)
          throw new TreeosError('INVALID_INPUT', `@${name} is started again only for a task: give it one`)
        if (!isLiving(kid)) await requireRoomForChild(config, { world, actor })
        return restart({ kid, reason, task, carryOut }, facts)
      }
      if (to === 'failed' && RESTARTED.includes(profile.role))
        return restart({ kid, reason, task, carryOut }, [
          ...facts,
          ...moved(name, 'failed', 'starting', 'its role restarts'),
        ])
      if (to === 'stopped' || to === 'failed') await rest(carryOut, kid)
      if (to === 'cleaned_up') await carryOut({ operation: 'end-being', target: `@${name}`, args: {} })
      return { facts, result: { child: `@${name}`, state: to } }
    },
  })

/** A child that is stopped or failed wears a role that holds nothing and that no wake opens. */
async function rest(carryOut: CarryOut, kid: BeingRow): Promise<void> {
  await still(carryOut, kid)
  await wear(carryOut, kid.name, [{ role: STOPPED }])
}

const wear = (carryOut: CarryOut, name: string, flow: RoleFlow) =>
  carryOut({ operation: 'set-roleflow', target: `@${name}`, args: { flow: asJson(flow) } })

async function restart(
  {
    kid,
    reason,
    task,
    carryOut,
  }: {
    readonly kid: BeingRow & { readonly profile: Profile }
    readonly reason: string
    readonly task: string | undefined
    readonly carryOut: CarryOut
  },
  facts: ReturnType<typeof moved>,
) {
  const { name, profile, parent } = kid
  await wear(carryOut, name, flowOf(profile.role, profile.genesis.role))
  await beat(carryOut, name, profile)
  const content = { event: 'restarted', actor: `@${parent}`, reason, ...(task === undefined ? {} : { task }) }
  return {
    facts: [...facts, setProfilePart(name, 'asleep', false), recordOf(name, 'lineage:restarted', { reason })],
    result: { child: `@${name}`, state: 'starting' },
    awakens: [{ being: name, content }],
  }
}

const grantRole = (config: LineageConfig) =>
  defineOperation({
    name: 'lineage:grant-role',
    description: 'Gives your child the role that it asked for.',
    on: 'being',
    allow: ['self'],
    args: z.strictObject({ child, role: z.string().max(64).describe('the role that it asked for') }),
    async decide({ actor, world, args, carryOut }) {
      const { role } = args
      const kid = await requireOwnChild(world, actor, args.child)
      const { name, profile } = kid
      if (!isLiving(kid))
        throw new TreeosError(
          'RESOURCE_CONFLICT',
          `@${name} is ${profile.state}: lineage:move-child starts it again`,
        )
      if (profile.wants !== role)
        throw new TreeosError(
          'RESOURCE_CONFLICT',
          `@${name} did not ask for the role ${role}: a child asks first`,
        )
      const settled = await requireRole(config, { world, parent: actor }, role)
      const everySeconds = everySecondsOf(config.heartbeatSeconds, settled)
      const held = {
        flow: flowOf(role, settled),
        ceiling: ceilingOf(settled),
        ...(kid.cognition.kind === 'llm' ? modelArgs(actor, settled) : {}),
      }
      await carryOut({ operation: 'set-roleflow', target: `@${name}`, args: asJson(held) })
      await beat(carryOut, name, { heartbeatSeconds: everySeconds })
      const { wants: _granted, ...kept } = profile
      const changed: Profile = {
        ...kept,
        role,
        asleep: false,
        heartbeatSeconds: everySeconds,
        genesis: { ...profile.genesis, role: shownRole(role, settled) },
      }
      return {
        facts: [
          setProfilePart(name, null, asJson(changed)),
          recordOf(name, 'lineage:role-granted', { from: profile.role, to: role, by: `@${actor.name}` }),
        ],
        result: { child: `@${name}`, role, heartbeatSeconds: everySeconds },
      }
    },
  })

export const parentOperations = (config: LineageConfig) =>
  [moveChild(config), defineChildRole(config), grantRole(config)] as const
