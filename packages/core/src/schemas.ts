import { TreeosError } from './error.ts'
import { quote } from './names.ts'

/** What a schema found wrong, such as an issue of zod. */
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The first fault, in words: `connections.judge.model: takes a text`. */
export function describeFault([issue]: readonly Issue[]): string {
  if (issue === undefined) return 'is not as expected'
  return issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}`
}

/**
 * A schema of an object of variables, such as one of zod's. Each variable says in its description what it
 * takes.
 */
interface VariablesSchema<T> {
  readonly shape: Readonly<Record<string, { readonly description?: string | undefined }>>
  safeParse(
    variables: Record<string, string | undefined>,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

/**
 * Reads variables of the environment by a schema. An empty value is an unset one.
 * @throws {TreeosError} INVALID_INPUT naming the first variable at fault, its value and what it takes
 */
export function readVariables<T>(
  schema: VariablesSchema<T>,
  env: Readonly<Record<string, string | undefined>>,
): T {
  const names = Object.keys(schema.shape).filter((name) => env[name])
  const read = schema.safeParse(Object.fromEntries(names.map((name) => [name, env[name]])))
  if (read.success) return read.data
  const name = String(read.error.issues[0]?.path[0])
  const state = env[name] ? `is ${quote(env[name])}` : 'is not set'
  throw new TreeosError('INVALID_INPUT', `${name} ${state}; it takes ${schema.shape[name]?.description}`)
}
