import { type BeingName, stanceOf, TreeosError, type VerbCall } from '@treeos/core'
import { type Db, findOutcome } from '@treeos/store'

/** The message of the first gate when a list of the roles does not name the target. */
const NOT_LISTED = /^(.+) is not in (can(?:See|Do|Summon|Be)) \(.*\)$/s
/** The message of the second gate when no rule permits the call and the actor has no standing that would. */
const NOT_GRANTED = /^not granted: \w+ \S+ needs ([a-z]+(?: or [a-z]+)*) of the target$/

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
 * Adds to the refusal of a being's own call which role it wore, or who may make the call. Whoever acts throws through here; the record of the
 * moment, and what a model reads of it, holds the refusal without it.
 * @returns the error to throw: any other as it is
 */
export async function explained(
  db: Db,
  { as, call }: { readonly as: BeingName; readonly call: VerbCall },
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof TreeosError) || error.code !== 'FORBIDDEN') return error
  const told = whoMay(error.message, call) ?? (await whichRole(db, error, as, call).catch(() => null))
  return told === null ? error : new TreeosError(error.code, told, error.detail, { cause: error })
}

function whoMay(message: string, call: VerbCall): string | null {
  const standings = NOT_GRANTED.exec(message)?.[1]?.split(' or ') ?? []
  const target = (call.verb === 'do' && call.target) || 'the target'
  const who = standings.map((standing) => WHO[standing]?.(target))
  return who.length === 0 || who.includes(undefined)
    ? null
    : `${message}: only ${who.join(' or ')} may do this`
}

async function whichRole(
  db: Db,
  { message, detail }: TreeosError,
  as: BeingName,
  { verb }: VerbCall,
): Promise<string | null> {
  const [, named, list] = NOT_LISTED.exec(message) ?? []
  const { moment } = (detail ?? {}) as { readonly moment?: unknown }
  const outcome = named === undefined || typeof moment !== 'string' ? null : await findOutcome(db, moment)
  if (outcome?.being !== as || outcome.record.stack === null) return null
  const { primary, stacked } = outcome.record.stack
  const roles = [primary, ...stacked].map(({ name }) => name)
  const me = stanceOf(as)
  return (
    `${me} as ${roles.join(' + ')} may not ${verb} ${named}: ${message} of ${roles.length === 1 ? 'this role' : 'these roles'}. ` +
    `It needs a role with ${named} in its ${list}; \`treeos explain ${me} ${outcome.n}\` says why it wore ${roles.length === 1 ? 'this one' : 'these'}`
  )
}
