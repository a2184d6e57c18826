import { readFileSync } from 'node:fs'
import { describeFault, TreeosError, textOfBytes } from '@treeos/core'
import type { z } from 'zod'

/**
 * Reads a JSON file of the operator by a schema.
 * @throws {TreeosError} INVALID_INPUT naming the file and the field at fault
 */
export function parseFile<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  let content: unknown
  try {
    content = JSON.parse(textOfBytes(readFileSync(file)))
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', `${file} cannot be read: ${(error as Error).message}`)
  }
  const parsed = schema.safeParse(content)
  if (parsed.success) return parsed.data
  throw new TreeosError('INVALID_INPUT', `${file}: ${describeFault(parsed.error.issues)}`)
}
