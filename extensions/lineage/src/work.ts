import {
  asJson,
  type BeingRow,
  type CarryOut,
  type Json,
  type Outcome,
  type WakeView,
  type WorldReader,
} from '@treeos/sdk'
import {
  isLiving,
  moved,
  type Profile,
  profileOf,
  recordOf,
  setProfilePart,
  spawnedBy,
  statesOf,
} from './child.ts'
import { filesOf, fileText } from './files.ts'
import type { ChildState } from './lifecycle.ts'
import { jsonBytes, startWithin } from './text-size.ts'

/** Who a child is, in its own words: a file that it sees in each moment. */
export const SOUL = 'SOUL.md'
/** More of a result is left out of what the child sees next, and the result says so. */
export const SHOWN_CHARS_MAX = 8000
const SHOWN_BYTES_MAX = 8 * 1024

interface ToolUse {
  readonly actor: BeingRow
  readonly wake: WakeView
  readonly carryOut: CarryOut
}

/**
 * What the use of a tool leaves: its result, which the child sees in its next moment, the first step of its
 * life when it was starting, and its heartbeat when it was asleep.
 */
export async function used(
  { actor, wake, carryOut }: ToolUse,
  tool: string,
  result: Json,
  { facts = [], ...more }: Partial<Outcome> = {},
): Promise<Outcome> {
  const profile = profileOf(actor)
  const last = { tool, result: shortenedValue(result) }
  if (profile === null)
    return { facts: [...facts, setProfilePart(actor.name, 'last', last)], result, ...more }
  const { from, content } = wake
  const task =
    from === null || wake.inReplyTo !== null
      ? []
      : [setProfilePart(actor.name, 'task', { from, content: shortenedValue(content) })]
  const begun =
    profile.state === 'starting' ? moved(actor.name, 'starting', 'healthy', `it used ${tool}`) : []
  const awake = profile.asleep && more.rests !== true
  if (awake) await beat(carryOut, actor.name, profile)
  return {
    facts: [
      ...facts,
      ...begun,
      ...task,
      ...(awake
        ? [setProfilePart(actor.name, 'asleep', false), recordOf(actor.name, 'lineage:awoke', {})]
        : []),
      setProfilePart(actor.name, 'last', last),
    ],
    result,
    ...more,
  }
}

/** Starts the heartbeat of a child. */
export const beat = (
  carryOut: CarryOut,
  name: string,
  { heartbeatSeconds }: Pick<Profile, 'heartbeatSeconds'>,
) =>
  carryOut({
    operation: 'set-schedule',
    target: `@${name}`,
    args: { name: 'heartbeat', everySeconds: heartbeatSeconds, content: 'heartbeat' },
  })

/** Ends the heartbeat of a child, if it has one. */
export async function still(carryOut: CarryOut, child: BeingRow): Promise<void> {
  const { schedule } = child.qualities as { schedule?: Record<string, Json> }
  if (schedule?.heartbeat !== undefined)
    await carryOut({ operation: 'delete-schedule', target: `@${child.name}`, args: { name: 'heartbeat' } })
}

function shortenedValue(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= SHOWN_CHARS_MAX && jsonBytes(value) <= SHOWN_BYTES_MAX) return value
  const shown = startWithin(text.slice(0, SHOWN_CHARS_MAX).toWellFormed(), SHOWN_BYTES_MAX)
  return `${shown}… (${text.length - shown.length} characters left out)`
}

/** For a child that sleeps after its work: a summon is not a tool, so it changes nothing of its sleep. */
const WHEN_DONE = 'answer with lineage:inbox-reply: then you sleep until your next task'

/**
 * What a being of this extension sees of its work: its role, its task, its files, and what its last tool
 * gave.
 */
export async function workOf(world: WorldReader, me: BeingRow): Promise<Json> {
  const profile = profileOf(me)
  const files = await filesOf(world, me.name)
  const soul = files.get(SOUL)
  const { last = null } = (me.qualities.lineage ?? {}) as { last?: Json }
  return asJson({
    ...(profile === null
      ? {}
      : {
          role: profile.role,
          state: (await statesOf(world, [{ name: me.name, profile }]))[0] as ChildState,
          asleep: profile.asleep,
          task: profile.task ?? null,
        }),
    ...(profile?.genesis.role.autoSleep === true && !profile.asleep ? { whenDone: WHEN_DONE } : {}),
    files: [...files.keys()].sort(),
    soul: soul === undefined ? null : fileText(soul),
    last,
  })
}

/** What a parent sees of the children that it spawned. */
export async function childrenOf(world: WorldReader, me: BeingRow): Promise<Json> {
  const children = await spawnedBy(world, me)
  const states = await statesOf(world, children)
  return children.map((child, i) => ({
    child: `@${child.name}`,
    role: child.profile.role,
    state: states[i] as ChildState,
    asleep: child.profile.asleep,
    live: isLiving(child),
    ...(child.profile.wants === undefined ? {} : { wants: child.profile.wants }),
  }))
}
