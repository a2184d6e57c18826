import {
  beingReel,
  type Cognition,
  type FactDraft,
  type Json,
  type JsonObject,
  REGISTRY_REEL,
  spaceReel,
} from '@treeos/core'
import type { Role } from './extension.ts'

/** The local person who starts a reality: the one being without a maker. */
export const OPERATOR = 'operator'

interface FirstBeing {
  readonly name: string
  readonly kind: Cognition
  readonly role: string
  readonly script: string | null
  readonly home: string
}

const FIRST_BEINGS: readonly FirstBeing[] = [
  { name: OPERATOR, kind: 'human', role: 'operator', script: null, home: '/' },
  { name: 'birther', kind: 'scripted', role: 'delegate', script: 'birther', home: '/' },
  { name: 'role-manager', kind: 'scripted', role: 'delegate', script: 'role-manager', home: '/' },
  { name: 'librarian', kind: 'llm', role: 'librarian', script: null, home: '/library' },
  { name: 'echo', kind: 'scripted', role: 'resident', script: 'echo', home: '/library' },
]

/** The facts that make a first reality: a root, a library, the operator, two delegates, a librarian and an echo. */
export function genesisFacts(): FactDraft[] {
  const facts: FactDraft[] = [
    space('/', 'root', null),
    space('/library', 'library', OPERATOR),
    { reel: spaceReel('/'), kind: 'space:opened', payload: { path: '/library' } },
  ]
  for (const being of FIRST_BEINGS) {
    const parent = being.name === OPERATOR ? null : OPERATOR
    const payload: JsonObject = {
      name: being.name,
      parent,
      cognition: { kind: being.kind, script: being.script },
      defaultRole: being.role,
      home: being.home,
      qualities: {},
      ceiling: null,
    }
    facts.push({ reel: beingReel(being.name), kind: 'being:born', payload })
    if (parent !== null)
      facts.push({ reel: beingReel(parent), kind: 'being:bore', payload: { being: being.name } })
    facts.push({
      reel: spaceReel(being.home),
      kind: 'space:entered',
      payload: { being: being.name, from: null },
    })
  }
  return facts
}

function space(path: string, type: string, owner: string | null): FactDraft {
  return { reel: spaceReel(path), kind: 'space:created', payload: { path, type, owner, qualities: {} } }
}

/** The fact by which code brings a role into a reality; its digest pins what older moments wore. */
export function roleBrought(role: Role, origin: string, digest: (value: Json) => string): FactDraft {
  const spec = role.spec as unknown as JsonObject
  return {
    reel: REGISTRY_REEL,
    kind: 'role:set',
    payload: { name: role.spec.name, digest: digest(spec), origin, spec },
  }
}
