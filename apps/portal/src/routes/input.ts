import { describeFault, requireBeingName, TreeosError } from '@treeos/core'
import { validator } from 'hono/validator'
import { z } from 'zod'

/** The being that a path names. */
export const ofBeing = z.object({ name: z.string().transform(requireBeingName) })
/** A moment of it. */
export const ofMoment = ofBeing.extend({ n: z.coerce.number().int().min(1).max(2_147_483_647) })

/** Reads JSON, parameters or the query by a schema. @throws {TreeosError} INVALID_INPUT naming what is wrong */
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
