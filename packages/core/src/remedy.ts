import { TreeosError } from './error.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { refusalIn } from './refusal.ts'

/** What mends an error, by its name, and of what it is. An error holds it in `detail.remedy`. */
interface RemedyFields {
  readonly 'list-inbox': object
  readonly 'list-threads': object
  readonly 'list-overlays': object
  readonly 'list-tokens': object
  readonly 'list-roles': object
  readonly 'list-approvals': object
  readonly 'make-token': object
  /** a worker that can take an overlay */
  readonly 'start-worker': object
  /** an overlay of such a tier is given with what it is for */
  readonly 'give-overlay': { readonly tier: string }
  readonly 'find-receipt': object
  /** the moments of a being show what came of it */
  readonly 'look-at-moments': { readonly of: string }
  /** a moment says why it had its roles */
  readonly 'explain-moment': { readonly of: string; readonly n: number }
  /** whoever inhabits a being answers what waits for it */
  readonly 'answer-as': { readonly of: string }
  readonly resume: { readonly of: string }
  readonly 'answer-entry': object
  readonly 'decide-entry': object
  /** the yes or no to a call, by the id of its approval */
  readonly 'decide-call': { readonly id: string }
  readonly unpark: { readonly of: string }
}
type RemedyName = keyof RemedyFields
export type Remedy = { [Name in RemedyName]: { readonly name: Name } & RemedyFields[Name] }[RemedyName]

/**
 * How one door says each remedy: the command line with commands, the API with what it lists. A clause without
 * its full stop; null where the message alone is all that may be said there.
 */
export type RemedyTexts = {
  readonly [Name in RemedyName]: string | null | ((fields: RemedyFields[Name]) => string)
}

/** The detail of an error that this mends. */
export const mendedBy = (remedy: Remedy, detail: JsonObject = {}): JsonObject => ({
  ...detail,
  remedy: { ...remedy },
})

/** What mends an error; null where it does not say. A role that nothing has is found in the list of roles. */
function remedyIn(error: TreeosError): Remedy | null {
  const remedy = isJsonObject(error.detail) ? error.detail.remedy : undefined
  if (isJsonObject(remedy)) return remedy as unknown as Remedy
  return refusalIn(error)?.of === 'role' ? { name: 'list-roles' } : null
}

/** The error with its remedy in the words of a door; an error without one as it is. */
export function withRemedy(error: TreeosError, words: RemedyTexts): TreeosError {
  const remedy = remedyIn(error)
  if (remedy === null || !Object.hasOwn(words, remedy.name)) return error
  const say = words[remedy.name] as string | null | ((fields: Remedy) => string)
  const said = typeof say === 'function' ? say(remedy) : say
  return said === null ? error : toldWith(error, said)
}

/** The error with a clause behind its message. */
export const toldWith = ({ code, message, detail, cause }: TreeosError, clause: string): TreeosError =>
  new TreeosError(code, `${message}${/[.?!]$/.test(message) ? '' : ';'} ${clause}`, detail, { cause })
