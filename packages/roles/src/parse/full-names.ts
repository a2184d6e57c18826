import { quote } from '@treeos/core'
import type { Entry } from '../shape/entry.ts'
import type { RoleSpec } from '../shape/role.ts'
import type { ParseFault } from './fault.ts'

/** Names of the operations that are loaded, by the list that holds them. */
export type LoadedNames = Readonly<Record<'canDo' | 'canBe', Iterable<string>>>

/**
 * A role with the full names of its operations: the prefix of an extension may be left out where one extension alone has the operation. A name
 * that nothing loaded has stays as it is, since a live role may name what comes later.
 * @returns also the names that several extensions have
 */
export function withFullNames(
  spec: RoleSpec,
  loaded: LoadedNames,
): { readonly spec: RoleSpec; readonly faults: readonly ParseFault[] } {
  const faults: ParseFault[] = []
  const full = (list: 'canDo' | 'canBe'): readonly Entry[] => {
    const names = [...loaded[list]]
    return spec[list].map((entry, i) => {
      if (typeof entry !== 'string') return entry
      const meant = namesOf(entry, names)
      if (meant.length > 1)
        faults.push({
          path: `${list}[${i}]`,
          message: `is ${quote(entry)}, which several extensions have: write ${meant.join(' or ')}`,
        })
      return meant.length === 1 ? (meant[0] as string) : entry
    })
  }
  const found = { ...spec, canDo: full('canDo'), canBe: full('canBe') }
  return { spec: found, faults }
}

function namesOf(entry: string, names: readonly string[]): readonly string[] {
  if (names.includes(entry) || entry.includes(':')) return [entry]
  return names.filter((name) => name.endsWith(`:${entry}`)).sort()
}
