import { describeFault, TreeosError } from '@treeos/core'
import { validator } from 'hono/validator'
import type { z } from 'zod'

/**
 * Reads JSON, parameters or the query by a schema.
 * @throws {TreeosError} INVALID_INPUT naming what is wrong
 */
export const input = <Target extends 'json' | 'param' | 'query', Schema extends z.ZodType>(
  target: Target,
  schema: Schema,
) =>
  validator(target, (value: unknown): z.output<Schema> => {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const { issues } = parsed.error
    const where = issues[0]?.path.length === 0 ? `${target}: ` : ''
    throw new TreeosError('INVALID_INPUT', where + describeFault(issues))
  })
