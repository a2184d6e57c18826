import { isJsonObject, TreeosError } from '@treeos/core'
import type { ParseFault } from '../parse/fault.ts'
import { parseRole } from '../parse/parse-role.ts'
import type { Entry } from '../shape/entry.ts'
import type { RoleSpec } from '../shape/role.ts'
import type { Lint } from './lint.ts'

export interface RoleLintOptions {
  /** when given, the names that `canDo`, `canBe` and `see` can mean; others are warned of */
  readonly known?: Readonly<Record<'canDo' | 'canBe' | 'see', readonly string[]>>
}

const WHAT = { canDo: 'action', canBe: 'operation', see: 'see-resolver' } as const

/** Checks a role before `set-role` writes it. Never throws. Lists all faults, one a field. */
export function lintRole(role: unknown, { known }: RoleLintOptions = {}): Lint {
  const { spec, errors } = parseAll(role)
  if (spec === null) return { errors, warnings: [] }
  if (spec.name.includes(':'))
    errors.push({ path: 'name', message: 'has a prefix; only an extension brings such a role' })
  if (typeof spec.prompt !== 'string')
    errors.push({ path: 'prompt', message: 'is a function; only an extension brings one' })
  return { errors, warnings: errors.length > 0 || known === undefined ? [] : unknownNames(spec, known) }
}

/** Reads the role again without each field that has a fault, until no fault is left. */
function parseAll(role: unknown): { spec: RoleSpec | null; errors: ParseFault[] } {
  const errors: ParseFault[] = []
  for (let given = role; ; ) {
    try {
      return { spec: parseRole(given), errors }
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      const { field = 'name' } = (error.detail ?? {}) as { field?: string } // a name tells its fault without its field
      errors.push({
        path: isJsonObject(given) ? field : '',
        message: error.message.replace(/^role field \S+ /, ''),
      })
      const [top = ''] = field.split(/[.[]/)
      if (!isJsonObject(given) || (top !== 'name' && !Object.hasOwn(given, top)))
        return { spec: null, errors }
      const { [top]: _faulty, ...rest } = given
      given = { ...rest, name: rest.name ?? 'unnamed' }
    }
  }
}

function unknownNames(spec: RoleSpec, known: NonNullable<RoleLintOptions['known']>): ParseFault[] {
  return (['canDo', 'canBe', 'see'] as const).flatMap((field) =>
    spec[field].flatMap((entry: Entry, i): ParseFault[] => {
      if (typeof entry !== 'string' || isKnown(entry, known[field], field)) return []
      return [{ path: `${field}[${i}]`, message: `no ${WHAT[field]} ${JSON.stringify(entry)} is known here` }]
    }),
  )
}

/** The prefix of a see-resolver may be left out. */
const isKnown = (name: string, names: readonly string[], field: keyof typeof WHAT): boolean =>
  names.includes(name) || (field === 'see' && names.some((one) => one.endsWith(`:${name}`)))
