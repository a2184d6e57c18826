import {
  asJson,
  type FactDraft,
  isJsonObject,
  type Json,
  REGISTRY_REEL,
  type RoleName,
  requireRoleName,
  stanceOf,
  TreeosError,
  unknownRole,
} from '@treeos/core'
import { entryKey, parseRole, type RoleSpec, withFullNames } from '@treeos/roles'
import type { DecidedOperation, DecideInput, LoadedCode } from '../extend/extension.ts'
import { reachOf, requireWithinReach, rolesNamed } from '../gates/reach.ts'
import { isAncestor } from '../gates/standings.ts'
import type { WorldReader } from '../read/reader.ts'
import { type BeingRow, type RoleRow, roleKey } from '../rows/rows.ts'
import { subscriptionsOf } from '../rows/subscriptions.ts'
import { FLAG, needed, OBJECT, optional, TEXT } from './argument-forms.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { ENDED_MAX, endedSubscriptions } from './ended-subscriptions.ts'

/** Origin of a role that was written in the world, and not by an extension. */
const LIVE = 'live'

/**
 * An argument that no model is told of: what a trial of the role came to, in the figures of who writes it.
 * Nobody checks them.
 */
const TRIAL = 'trial'
const FIGURES_MAX = 16

const trialArgument = optional(OBJECT, 'what a trial of the role came to', {
  right: `up to ${FIGURES_MAX} figures by their names, as the summary of a trial has them`,
  isRight: areFigures,
})

function areFigures(note: Json): boolean {
  const isFigure = ([name, value]: [string, Json]) =>
    /^[a-zA-Z0-9]{1,24}$/.test(name) && (value === null || typeof value === 'number')
  const figures = isJsonObject(note) ? Object.entries(note) : null
  return figures !== null && figures.length <= FIGURES_MAX && figures.every(isFigure)
}

const setRole = defineBuiltIn({
  name: 'set-role',
  description: 'Writes a role that the next moment can wear.',
  targets: ['reality'],
  allow: ['anyone'],
  takes: {
    role: needed(OBJECT, 'the role: name, can* lists, prompt', { right: 'a role', parse: parseRole }),
  },
  untold: { [TRIAL]: trialArgument },
  async decide({ actor, lender, world, digest, reach, known }, given) {
    const spec = fullyNamed(parseRole(given.value('role')), known.operations)
    if (typeof spec.prompt !== 'string')
      throw given.fault('role.prompt', null, 'a text; functions come with extensions only')
    const old = await world.row(roleKey(spec.name)) // a deleted role too: its name stays its author's
    if (old !== null && old.origin !== LIVE) {
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `role ${spec.name} belongs to ${old.origin} and cannot be changed here`,
      )
    }
    if (spec.name.includes(':'))
      throw given.fault('role.name', spec.name, 'a name without a prefix; prefixes are of extensions')
    if (old !== null && old.author !== actor.name && !(await isAncestor(world, actor.name, old.author))) {
      throw new TreeosError(
        'FORBIDDEN',
        `role ${spec.name} was written by @${old.author}; only it or its makers change it`,
      )
    }
    if (old !== null) await requireStandingOverWearers({ actor, lender, world }, spec.name)
    requireWithinReach(actor, spec, await reach())
    const json = asJson(spec)
    const trial = given.value(TRIAL)
    const payload = {
      ...{ name: spec.name, digest: digest(json), origin: LIVE, spec: json },
      ...(trial === undefined ? {} : { trial }),
    }
    const narrowed = old === null ? [] : await endedByRole(world, old, spec)
    return {
      facts: [{ reel: REGISTRY_REEL, kind: 'role:set', payload }, ...narrowed],
      result: { name: spec.name, digest: payload.digest },
      specs: [spec],
    }
  },
})

/** A role as it is stored: what its bare names mean does not change with what is loaded later. */
function fullyNamed(written: RoleSpec, { do: canDo, be: canBe }: LoadedCode['operations']): RoleSpec {
  const { spec, faults } = withFullNames(written, { canDo: canDo.keys(), canBe: canBe.keys() })
  const [fault] = faults
  if (fault === undefined) return spec
  throw new TreeosError('INVALID_INPUT', `role field ${fault.path} ${fault.message}`, { field: fault.path })
}

const deleteRole = defineBuiltIn({
  name: 'delete-role',
  wordless: true,
  description: 'Deletes a live role; older moments keep what they wore.',
  targets: ['reality'],
  allow: ['anyone'],
  takes: {
    name: needed(TEXT, 'the role', { parse: requireRoleName }),
    force: optional(FLAG, 'delete it even while beings name it'),
  },
  async decide({ actor, lender, world }, given) {
    const name = requireRoleName(given.value('name'))
    const old = await world.role(name)
    if (old === null) throw unknownRole(name)
    if (old.origin !== LIVE)
      throw new TreeosError('FORBIDDEN', `role ${name} belongs to ${old.origin}; only live roles are deleted`)
    if (old.author !== actor.name && !(await isAncestor(world, actor.name, old.author))) {
      throw new TreeosError(
        'FORBIDDEN',
        `role ${name} was written by @${old.author}; only it or its makers delete it`,
      )
    }
    await requireStandingOverWearers({ actor, lender, world }, name)
    if (!given.flag('force', false)) await requireUnused(world, name)
    const narrowed = await endedByRole(world, old, null)
    return {
      facts: [{ reel: REGISTRY_REEL, kind: 'role:deleted', payload: { name } }, ...narrowed],
      result: { name },
    }
  },
})

/** @throws {TreeosError} RESOURCE_CONFLICT naming the beings that would lose the role */
async function requireUnused(world: WorldReader, name: RoleName): Promise<void> {
  const users = await usersOf(world, name)
  if (users.length === 0) return
  throw new TreeosError(
    'RESOURCE_CONFLICT',
    `role ${name} is named by ${show(users)}; change their flows first, or force it`,
    detailOf(users),
  )
}

/**
 * A live role is part of the prompt of every being that may wear it. So who changes it needs standing over
 * each of them: it is that being, or one of its makers, or the operator. While one of these drives the actor,
 * its standing counts.
 * @throws {TreeosError} FORBIDDEN naming the beings that the actor has no standing over
 */
async function requireStandingOverWearers(
  { actor, lender, world }: Pick<DecideInput, 'actor' | 'lender' | 'world'>,
  name: RoleName,
): Promise<void> {
  const actors = [actor, ...(lender === null ? [] : [lender])]
  if (actors.some(({ parent }) => parent === null)) return
  const others: BeingRow[] = []
  for (const user of await usersOf(world, name)) {
    const makers = await world.lineage(user.name)
    const stands = actors.some(({ name }) => [user, ...makers].some((one) => one.name === name))
    if (!stands) others.push(user)
  }
  if (others.length === 0) return
  throw new TreeosError(
    'FORBIDDEN',
    `role ${name} is named by ${show(others)}, and ${stanceOf(actor.name)} did not make them: ` +
      'save it under a new name, or ask the operator',
    detailOf(others),
  )
}

/**
 * Facts that end subscriptions which rested on what a role let its wearers see. Only a role that lets them
 * see less asks for it, since it reads every being.
 * @param spec as it will be; null when it is deleted
 */
async function endedByRole(
  world: WorldReader,
  { name, digest }: RoleRow,
  spec: RoleSpec | null,
): Promise<FactDraft[]> {
  const { canSee } = await world.spec(digest)
  const kept = new Set((spec?.canSee ?? []).map(entryKey))
  if (canSee.every((entry) => kept.has(entryKey(entry)))) return []
  const ended: FactDraft[] = []
  for (const being of await usersOf(world, name)) {
    if (subscriptionsOf(being).length === 0) continue
    ended.push(...(await endedSubscriptions(world, being, await reachOf(world, being, { name, spec }))))
  }
  return ended.slice(0, ENDED_MAX)
}

/** The living beings that may wear a role. It reads every being, since any may name it. */
const usersOf = async (world: WorldReader, name: RoleName): Promise<BeingRow[]> =>
  (await world.everyBeing()).filter((being) => being.ended === undefined && rolesNamed(being).includes(name))

const USERS_SHOWN_MAX = 5

function show(users: readonly BeingRow[]): string {
  const shown = users.slice(0, USERS_SHOWN_MAX).map((being) => stanceOf(being.name))
  const more = users.length > shown.length ? ` and ${users.length - shown.length} more` : ''
  return `${shown.join(', ')}${more}`
}

const USERS_TOLD_MAX = 100
const detailOf = (users: readonly BeingRow[]) => ({
  users: users.map((being) => stanceOf(being.name)).slice(0, USERS_TOLD_MAX),
})

const mediate = defineBuiltIn({
  name: 'mediate',
  description:
    'Does what the summon that woke the actor asks for, as its sender might, and tells it what came of it.',
  targets: ['being'],
  allow: ['self'],
  takes: {},
  mediates: true,
  decide({ fulfilled }): DecidedOperation {
    if (fulfilled?.kind === 'decided') {
      const { decided } = fulfilled
      return { ...decided, reply: { ok: true, result: decided.result } }
    }
    const answer = { ok: false, error: fulfilled?.error.toJSON() ?? null }
    return { facts: [], result: answer, reply: answer }
  },
})

export const roleOperations = [setRole, deleteRole, mediate] as const
