import {
  type BeingName,
  canonicalJson,
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
  type ReelId,
  spaceReel,
  stanceOf,
  type Watch,
  worldReel,
} from '@treeos/core'
import { flowPaths } from '@treeos/roles'
import type { BeingRow } from './rows.ts'
import { subscriptionsOf, watchesOfSubscription } from './subscriptions.ts'

/**
 * The paths whose changes wake a being: the world signals and space qualities that its flow reads, and its
 * subscriptions. Nothing wakes a person, or a being that was ended.
 */
export function watchesOf(being: BeingRow): Watch[] {
  if (being.ended !== undefined) return []
  return [...watchesOfFlow(being), ...subscriptionsOf(being).flatMap(watchesOfSubscription)]
}

function watchesOfFlow({ qualities, space, cognition }: BeingRow): Watch[] {
  if (cognition.kind === 'human' || !Array.isArray(qualities.roleFlow)) return []
  return flowPaths(qualities.roleFlow).flatMap((dotted): Watch[] => {
    const [root, second, ...rest] = dotted.split('.')
    if (root === 'world' && second !== undefined) return [{ reel: worldReel(second), path: rest.join('.') }]
    if (root === 'space' && second === 'quality') return [{ reel: spaceReel(space), path: rest.join('.') }]
    return []
  })
}

/**
 * Dotted paths at which two trees differ, sorted. The empty path is the tree itself; arrays are compared
 * whole.
 */
export function changedPaths(before: Json | undefined, after: Json | undefined): string[] {
  const paths: string[] = []
  collect(before, after, [], paths)
  return paths.sort()
}

function collect(before: Json | undefined, after: Json | undefined, at: readonly string[], paths: string[]) {
  if (isSameValue(before, after)) return
  paths.push(at.join('.'))
  for (const key of new Set([...objectKeys(before), ...objectKeys(after)]))
    collect(field(before, key), field(after, key), [...at, key], paths)
}

const isSameValue = (a: Json | undefined, b: Json | undefined) =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
const objectKeys = (value: Json | undefined) => (isJsonObject(value) ? Object.keys(value) : [])
const field = (value: Json | undefined, key: string) =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** A longer value is left out of the wake: the woken being sees the world anyway. */
const VALUE_LENGTH_MAX = 1024

/**
 * Content of the wake that a change makes. A signal is open to all, so its value goes along. The value of a
 * quality does not: the moment reads it itself, if its being may see what has it.
 */
export function changeContent(fact: FactDraft, actor: BeingName | null): JsonObject {
  const { reel, kind, payload } = fact
  const isSignal = kind === 'signal:published'
  const keys = (isSignal ? [payload.namespace, ...(payload.key as string[])] : payload.path) as string[]
  const value = payload.value ?? null
  const by = typeof payload.onBehalfOf === 'string' ? payload.onBehalfOf : actor
  const [of, target] = isSignal ? ['world'] : ownerOf(reel)
  return {
    event: 'changed',
    ...(by === null ? {} : { actor: stanceOf(by) }),
    what: `${of}.${keys.join('.')}`,
    ...(target === undefined ? {} : { target }),
    ...(!isSignal || canonicalJson(value).length > VALUE_LENGTH_MAX ? {} : { value }),
  }
}

/** The owner of a quality, in the words of flows and addresses. */
const ownerOf = (reel: ReelId): [string, string] =>
  reel.startsWith('being:')
    ? ['being.quality', stanceOf(reel.slice('being:'.length))]
    : ['space.quality', reel.slice('space:'.length)]
