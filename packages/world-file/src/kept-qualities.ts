import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { SCHEDULES, STANDARD_BUDGET, SUBSTRATE_NAMES } from '@treeos/world'

/** Namespaces of qualities that a file holds under fields of their own, or that never leave their reality. */
const APART_OF_BEINGS: readonly string[] = ['roleFlow', SCHEDULES, 'subscription', 'llm', 'passkeys']
const APART_OF_SPACES: readonly string[] = ['permissions', STANDARD_BUDGET, 'tools']
/** A namespace of TreeOS that `set-being` writes. */
const WAKE = 'wake'

const isApart = (namespace: string, apart: readonly string[]): boolean =>
  apart.includes(namespace) || (namespace !== WAKE && SUBSTRATE_NAMES.includes(namespace))

/** The qualities of a being that travel under their own names. */
export const plainQualities = (qualities: JsonObject): JsonObject => without(qualities, APART_OF_BEINGS)
export const plainQualitiesOfSpace = (qualities: JsonObject): JsonObject =>
  without(qualities, APART_OF_SPACES)

const without = (qualities: JsonObject, apart: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(qualities).filter(([namespace]) => !isApart(namespace, apart)))

/** Signals of TreeOS itself tell of this reality, such as which model is down. */
export const isSignalKept = (namespace: string): boolean => !SUBSTRATE_NAMES.includes(namespace)

/** An object of the qualities, or an empty one. */
export const objectIn = (qualities: JsonObject, namespace: string): JsonObject => {
  const value: Json | undefined = qualities[namespace]
  return isJsonObject(value) ? value : {}
}
