import type { JsonObject } from '@treeos/core'
import { parseKeyPath, requireQualitySize, setAtPath } from '../rows/qualities.ts'
import { Arguments } from './arguments.ts'

/**
 * Reads `{field, value, merge}`, and checks the size that the qualities would have.
 * @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE
 */
export function qualityChange(operation: string, args: JsonObject, qualities: JsonObject) {
  const given = new Arguments(operation, args, ['field', 'value', 'merge'])
  const path = parseKeyPath(given.text('field').replace(/^qualities\./, ''), 'quality')
  const value = given.value('value')
  if (value === undefined) throw given.fault('value', value, 'any JSON; null unsets')
  const merge = given.flag('merge', true)
  requireQualitySize(setAtPath(qualities, path, value, merge), `the qualities`)
  return { path, value, merge }
}
