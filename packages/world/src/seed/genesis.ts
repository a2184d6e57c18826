import {
  asJson,
  beingReel,
  type Cognition,
  type FactDraft,
  type Json,
  type JsonObject,
  REGISTRY_REEL,
  type RoleName,
  spaceReel,
} from '@treeos/core'
import type { Role } from '../extend/extension.ts'
import type { ExtensionCode } from '../extend/extension-code.ts'
import { BIRTHER, OPERATOR, ROLE_MANAGER } from '../extend/substrate.ts'

interface FirstBeing {
  readonly name: string
  readonly kind: Cognition
  readonly role: string
  readonly script: string | null
  readonly home: string
}

const FIRST_BEINGS: readonly FirstBeing[] = [
  { name: OPERATOR, kind: 'human', role: 'operator', script: null, home: '/' },
  { name: BIRTHER, kind: 'scripted', role: BIRTHER, script: BIRTHER, home: '/' },
  { name: ROLE_MANAGER, kind: 'scripted', role: ROLE_MANAGER, script: ROLE_MANAGER, home: '/' },
  { name: 'librarian', kind: 'llm', role: 'librarian', script: null, home: '/library' },
  { name: 'echo', kind: 'scripted', role: 'resident', script: 'echo', home: '/library' },
]

/** The facts of a new reality: a root, a library, the operator, two delegates, a librarian and an echo. */
export function genesisFacts(): FactDraft[] {
  const facts: FactDraft[] = [
    space('/', 'root', null),
    space('/library', 'library', OPERATOR),
    { reel: spaceReel('/'), kind: 'space:opened', payload: { path: '/library' } },
  ]
  return [...facts, ...FIRST_BEINGS.flatMap(birthFacts)]
}

function birthFacts(being: FirstBeing): FactDraft[] {
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
  const bore: FactDraft[] =
    parent === null ? [] : [{ reel: beingReel(parent), kind: 'being:bore', payload: { being: being.name } }]
  return [
    { reel: beingReel(being.name), kind: 'being:born', payload },
    ...bore,
    {
      reel: spaceReel(being.home),
      kind: 'space:entered',
      payload: { being: being.name, from: null },
    },
  ]
}

function space(path: string, type: string, owner: string | null): FactDraft {
  return { reel: spaceReel(path), kind: 'space:created', payload: { path, type, owner, qualities: {} } }
}

/**
 * The fact that registers a role of an extension. Moments cite the role by its digest, so older ones keep
 * what they wore.
 */
export function roleInstalled(
  role: Pick<Role, 'spec'>,
  origin: string,
  digest: (value: Json) => string,
): FactDraft {
  const spec = asJson(role.spec)
  return {
    reel: REGISTRY_REEL,
    kind: 'role:set',
    payload: { name: role.spec.name, digest: digest(spec), origin, spec },
  }
}

/** The fact that a version of an extension was seen here. It changes nothing that a moment reads. */
export const versionInstalled = (
  extension: string,
  { version, digest, code, roles }: ExtensionCode,
): FactDraft => ({
  reel: REGISTRY_REEL,
  kind: VERSION_INSTALLED,
  payload: { extension, version, digest, code, roles },
})

/** The fact that says which code of an extension is current; null for none, once it has ended. */
export const versionUsed = (
  extension: string,
  used: Pick<ExtensionCode, 'version' | 'digest'> | null,
): FactDraft => ({
  reel: REGISTRY_REEL,
  kind: VERSION_USED,
  payload: { extension, version: used?.version ?? null, digest: used?.digest ?? null },
})

export const VERSION_INSTALLED = 'registry:installed'
export const VERSION_USED = 'registry:used'

/** The fact that removes a role that the current code of its extension has not. */
export const roleRemoved = (name: RoleName): FactDraft => ({
  reel: REGISTRY_REEL,
  kind: 'role:deleted',
  payload: { name },
})
