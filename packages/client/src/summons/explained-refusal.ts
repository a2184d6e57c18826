import {
  type BeingName,
  isJsonObject,
  mendedBy,
  type RefusalFields,
  type Remedy,
  refusalIn,
  shortenedTarget,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { type Db, findOutcome } from '@treeos/store'

/** Who has a standing, as docs/world.md has it. */
const WHO: Readonly<Record<string, (target: string) => string>> = {
  self: (target) => `${target} itself`,
  parent: () => 'its maker',
  ancestor: () => 'one of its makers',
  owner: () => 'its owner',
  contributor: () => 'a contributor of the place',
  home: () => 'who has its home there',
  operator: () => 'the operator',
}

/**
 * Adds to the refusal of a being's own call which role it wore, or who may make the call. Whoever acts throws
 * through here; the record of the moment, and what a model reads of it, holds the refusal without it.
 * @returns the error to throw: any other as it is
 */
export async function explained(
  db: Db,
  { as, call }: { readonly as: BeingName; readonly call: VerbCall },
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof TreeosError) || error.code !== 'FORBIDDEN') return error
  const refusal = refusalIn(error)
  if (refusal === null) return error
  const { code, message, detail } = error
  const who = whoMay(refusal, message, call)
  if (who !== null) return new TreeosError(code, who, detail, { cause: error })
  const worn = await whichRole(db, refusal, error, as, call).catch(() => null)
  if (worn === null) return error
  const remedied = mendedBy(worn.remedy, isJsonObject(detail) ? detail : {})
  return new TreeosError(code, worn.message, remedied, { cause: error })
}

function whoMay(refusal: RefusalFields, message: string, call: VerbCall): string | null {
  const standings = refusal.of === 'standing' ? refusal.standings : []
  const target = (call.verb === 'do' && call.target) || 'the target'
  const who = standings.map((standing) => WHO[standing]?.(target))
  return who.length === 0 || who.includes(undefined)
    ? null
    : `${message}: only ${who.join(' or ')} may do this`
}

async function whichRole(
  db: Db,
  refusal: RefusalFields,
  { message, detail }: TreeosError,
  as: BeingName,
  { verb }: VerbCall,
): Promise<{ readonly message: string; readonly remedy: Remedy } | null> {
  if (refusal.of !== 'list') return null
  const { list, target } = refusal
  const named = shortenedTarget(target)
  const { moment } = (detail ?? {}) as { readonly moment?: unknown }
  const outcome = typeof moment !== 'string' ? null : await findOutcome(db, moment)
  if (outcome?.being !== as || outcome.record.stack === null) return null
  const { primary, stacked } = outcome.record.stack
  const roles = [primary, ...stacked].map(({ name }) => name)
  const me = stanceOf(as)
  const [these, which] = roles.length === 1 ? ['this role', 'this one'] : ['these roles', 'these']
  return {
    message:
      `${me} as ${roles.join(' + ')} may not ${verb} ${named}: ${message} of ${these}. ` +
      `It needs a role with ${named} in its ${list}. Why it wore ${which} is in its moment ${outcome.n}`,
    remedy: { name: 'explain-moment', of: me, n: outcome.n },
  }
}
