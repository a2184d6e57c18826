import type { JsonObject } from '@treeos/core'
import { parseKeyPath, requireQualitySize, setAtPath } from '../rows/qualities.ts'
import { ANY_JSON, type ArgumentForms, FLAG, needed, ofText, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'

/** The arguments of an operation that sets one quality. @param example of a field */
export const qualityArguments = (example: string): ArgumentForms => ({
  field: needed(TEXT, `namespace and key, as in ${example}`, { parse: ofText(pathOf) }),
  value: needed(ANY_JSON, 'any JSON', { right: 'any JSON; null unsets' }),
  merge: optional(FLAG, 'merge an object into a namespace'),
})

const pathOf = (field: string) => parseKeyPath(field.replace(/^qualities\./, ''), 'quality')

/**
 * Reads `{field, value, merge}`, and checks the size that the qualities would have.
 * @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE
 */
export function qualityChange(given: Arguments, qualities: JsonObject) {
  const path = pathOf(given.text('field'))
  const value = given.value('value') ?? null
  const merge = given.flag('merge', true)
  requireQualitySize(setAtPath(qualities, path, value, merge), `the qualities`)
  return { path, value, merge }
}
