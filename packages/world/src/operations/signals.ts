import {
  type BeingName,
  isKey,
  type JsonObject,
  parseStance,
  stanceOf,
  TreeosError,
  unknownBeing,
  worldReel,
} from '@treeos/core'
import type { DecideInput, Operation } from '../extend/extension.ts'
import { OPERATOR } from '../extend/substrate.ts'
import { requireNotEnded } from '../gates/moment-guards.ts'
import { isAncestor } from '../gates/standings.ts'
import { parseKeyPath, requireQualitySize, setAtPath } from '../rows/qualities.ts'
import type { BeingRow, WorldRow } from '../rows/rows.ts'
import { ANY_JSON, type ArgumentForm, needed, ofText, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'

/** Every publication reads the whole row. */
const PUBLISHERS_MAX = 256

function namespaceArgument(about: string): ArgumentForm {
  return needed(TEXT, about, {
    right: 'one kebab-case word, as in harmony',
    parse: ofText((namespace) => parseKeyPath(namespace, 'namespace')),
    isRight: isKey,
  })
}

const setWorldSignal = defineBuiltIn({
  name: 'set-world-signal',
  description: 'Publishes a signal that every flow of the reality may read; null unsets.',
  targets: ['reality'],
  allow: ['anyone'], // decide() asks whose the namespace is
  takes: {
    namespace: namespaceArgument('who publishes, as in harmony'),
    key: needed(TEXT, 'dotted key, as in tick.alive', { parse: ofText((key) => parseKeyPath(key, 'key')) }),
    value: needed(ANY_JSON, 'any JSON', { right: 'any JSON; null unsets' }),
  },
  async decide(input, given) {
    const namespace = given.text('namespace')
    const key = parseKeyPath(given.text('key'), 'key')
    const value = given.value('value') ?? null
    const owned = await ownershipOf(input, namespace)
    if (!(await mayPublish(input, owned)))
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(input.actor.name)} may not publish in ${namespace}: ${whose(owned)}`,
        { owner: ownerIn(owned), namespace },
      )
    requireQualitySize(setAtPath(owned.row?.values ?? {}, key, value, false), `world.${namespace}`)
    const payload = { namespace, key, value, ...ownerAtFirst(input, owned) }
    return {
      facts: [{ reel: worldReel(namespace), kind: 'signal:published', payload }],
      result: { namespace, key: key.join('.'), value },
    }
  },
})

const grantNamespace = changingGrants(
  {
    name: 'grant-namespace',
    description: 'Lets a being publish signals in a namespace that the actor owns, or that nobody owns yet.',
    fact: 'signal:granted',
    being: 'the stance of the being that may publish them',
  },
  async ({ actor, world }, { namespace, being, owned }) => {
    const row = await world.being(being)
    if (row === null) throw unknownBeing(being)
    requireNotEnded(row)
    const { owner, publishers } = owned
    if (owner === being || (owner === null && actor.name === being))
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        owner === null
          ? `nobody owns ${namespace}: ${stanceOf(being)} takes it by publishing in it, and needs no grant`
          : `${stanceOf(being)} owns ${namespace}: it needs no grant`,
      )
    if (publishers.includes(being))
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(being)} may publish in ${namespace} already`)
    if (publishers.length >= PUBLISHERS_MAX)
      throw new TreeosError(
        'RATE_LIMITED',
        `${namespace} is granted to ${publishers.length} beings, at most ${PUBLISHERS_MAX} are kept`,
      )
  },
)

const revokeNamespace = changingGrants(
  {
    name: 'revoke-namespace',
    description: 'Ends what grant-namespace gave; what the being published stays.',
    fact: 'signal:revoked',
    being: 'the stance of the being that may no longer publish them',
  },
  async (_input, { namespace, being, owned }) => {
    if (owned.publishers.includes(being)) return
    const there = owned.publishers.map(stanceOf).join(', ')
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `${namespace} is not granted to ${stanceOf(being)}; it is granted to ${there === '' ? 'nobody' : there}`,
    )
  },
)

/** Who gets or loses the right to publish in a namespace. */
interface Grant {
  readonly namespace: string
  readonly being: BeingName
  readonly owned: Ownership
}

/**
 * An operation that changes who may publish in a namespace.
 * @param check throws when there is nothing to change
 */
function changingGrants<const Name extends string>(
  {
    name,
    description,
    fact,
    being: whom,
  }: { readonly name: Name } & Record<'description' | 'fact' | 'being', string>,
  check: (input: DecideInput, grant: Grant) => Promise<void>,
): Operation<Name> {
  return defineBuiltIn({
    name,
    description,
    targets: ['reality'],
    allow: ['anyone'], // decide() asks whose the namespace is
    takes: {
      namespace: namespaceArgument('whose signals'),
      being: needed(TEXT, whom, { parse: ofText(parseStance) }),
    },
    async decide(input, given) {
      const grant = await readGrant(input, given)
      await check(input, grant)
      const { namespace, being, owned } = grant
      const payload = { namespace, being, ...ownerAtFirst(input, owned) }
      return {
        facts: [{ reel: worldReel(namespace), kind: fact, payload }],
        result: { namespace, being: stanceOf(being), owner: stanceOf(owned.owner ?? input.actor.name) },
      }
    },
  })
}

/** A namespace, as it stands when somebody wants to publish in it. */
interface Ownership {
  readonly namespace: string
  readonly row: WorldRow | null
  /** null while nobody owns it: whoever may publish takes it by publishing */
  readonly owner: BeingName | null
  readonly publishers: readonly BeingName[]
  /** the namespace of an extension or of the substrate: the operator's, whoever published there first */
  readonly isReserved: boolean
}

async function ownershipOf(
  { world, known }: Pick<DecideInput, 'world' | 'known'>,
  namespace: string,
): Promise<Ownership> {
  const row = await world.world(namespace)
  const isReserved = known.namespaces.includes(namespace)
  const owner = isReserved ? OPERATOR : (row?.owner ?? null)
  return { namespace, row, owner, publishers: row?.publishers ?? [], isReserved }
}

type SignalPublisher = Pick<DecideInput, 'actor' | 'lender' | 'world'>

/**
 * Publishing needs a right, since a signal can change the roles of other beings. A namespace that nobody owns
 * is open to all that may use the operation: the first one owns it. Else its owner, the owner's makers, the
 * operator and those to whom it is granted have the right, and so has a being that one of them drives and
 * lends its reach to.
 */
const mayPublish = (at: SignalPublisher, owned: Ownership): Promise<boolean> =>
  anyOf(
    at,
    async (being) =>
      owned.owner === null || owned.publishers.includes(being.name) || (await owns(at, being, owned)),
  )

/** The owner of a namespace, its makers and the operator decide who else publishes in it. */
const mayGrant = (at: SignalPublisher, owned: Ownership): Promise<boolean> =>
  anyOf(at, async (being) => owned.owner === null || (await owns(at, being, owned)))

async function anyOf({ actor, lender }: SignalPublisher, holds: (being: BeingRow) => Promise<boolean>) {
  return (await holds(actor)) || (lender !== null && (await holds(lender)))
}

async function owns({ world }: SignalPublisher, being: BeingRow, { owner }: Ownership): Promise<boolean> {
  if (being.parent === null || owner === being.name) return true
  return owner !== null && (await isAncestor(world, being.name, owner))
}

/**
 * The first fact of a namespace makes its actor the owner, unless it names another. A driven being owns it,
 * not its driver.
 */
const ownerAtFirst = ({ actor }: SignalPublisher, { row, isReserved }: Ownership): JsonObject =>
  row === null && isReserved && actor.parent !== null ? { owner: OPERATOR } : {}

const ownerIn = ({ owner }: Ownership): string | null => (owner === null ? null : stanceOf(owner))

function whose({ owner, isReserved }: Ownership): string {
  const belongs = `it belongs to ${stanceOf(owner ?? OPERATOR)}`
  return isReserved
    ? `${belongs}, as the namespace of an extension or of TreeOS itself; take one that nobody owns`
    : `${belongs}, who may grant it to others`
}

/** @throws {TreeosError} FORBIDDEN for an actor that may not grant the namespace */
async function readGrant(input: DecideInput, given: Arguments): Promise<Grant> {
  const namespace = given.text('namespace')
  const being = parseStance(given.text('being'))
  const owned = await ownershipOf(input, namespace)
  if (!(await mayGrant(input, owned)))
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(input.actor.name)} may not say who publishes in ${namespace}: ${stanceOf(owned.owner ?? OPERATOR)} may`,
      { owner: ownerIn(owned), namespace },
    )
  return { namespace, being, owned }
}

export const signalOperations = [setWorldSignal, grantNamespace, revokeNamespace] as const
