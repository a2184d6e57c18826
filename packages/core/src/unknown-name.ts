import { TreeosError } from './error.ts'
import { type BeingName, stanceOf } from './names.ts'

/** A name that nothing has, in a refusal. */
export interface UnknownName {
  readonly of: 'being' | 'role'
  readonly name: string
}

const WORDS: readonly (readonly [UnknownName['of'], TreeosError['code'], RegExp])[] = [
  ['being', 'BEING_NOT_FOUND', /^no being @(\S+) lives in this reality$/],
  ['being', 'BEING_NOT_FOUND', /^a rule asks @(\S+), and no such being lives in this reality$/],
  ['role', 'ROLE_UNAVAILABLE', /^role "(\S+)" is not registered; `treeos role list` shows what is$/],
]

export const unknownBeing = (name: BeingName): TreeosError =>
  new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(name)} lives in this reality`)

export const unknownRole = (name: string): TreeosError =>
  new TreeosError(
    'ROLE_UNAVAILABLE',
    `role ${JSON.stringify(name)} is not registered; \`treeos role list\` shows what is`,
  )

/** The name that a refusal says nothing has; null for any other, and for one that has a suggestion already. */
export function unknownNameIn({ code, message }: TreeosError): UnknownName | null {
  for (const [of, its, words] of WORDS) {
    const name = code === its ? words.exec(message)?.[1] : undefined
    if (name !== undefined) return { of, name }
  }
  return null
}
