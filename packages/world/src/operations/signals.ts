import { type BeingName, TreeosError, worldReel } from '@treeos/core'
import type { Operation, OperationInput } from '../extend/extension.ts'
import { isAncestor } from '../gates/stance-gate.ts'
import { parseKeyPath, requireQualitySize, setQuality } from '../rows/qualities.ts'
import type { BeingRow } from '../rows/rows.ts'
import { Arguments } from './arguments.ts'

const setWorldSignal: Operation = {
  name: 'set-world-signal',
  description: 'Publishes a signal that every flow of the reality may read; null unsets.',
  targets: ['reality'],
  allow: ['anyone'],
  args: { namespace: 'who publishes, as in harmony', key: 'dotted key, as in tick.alive', value: 'any JSON' },
  async decide(input) {
    const { args, world } = input
    const given = new Arguments('set-world-signal', args, ['namespace', 'key', 'value'])
    const [namespace, ...more] = parseKeyPath(given.text('namespace'), 'namespace')
    if (more.length > 0) throw given.fault('namespace', given.value('namespace'), 'one kebab-case word')
    const key = parseKeyPath(given.text('key'), 'key')
    const value = given.value('value')
    if (value === undefined) throw given.fault('value', value, 'any JSON; null unsets')
    const owner = await requirePublisher(input, namespace)
    const row = await world.world(namespace)
    requireQualitySize(setQuality(row?.values ?? {}, key, value, false), `world.${namespace}`)
    const payload = { namespace, key, value, ...(owner === null ? {} : { owner }) }
    return {
      facts: [{ reel: worldReel(namespace), kind: 'signal:published', payload }],
      result: { namespace, key: key.join('.'), value },
    }
  },
}

/**
 * Publishing needs a right, since a signal can change the roles of other beings. The owner of the namespace, its makers and the
 * operator have it, and so has a being that one of them drives and lends its reach to.
 * @returns the owner of a new namespace, where that is the lender; null where it is the actor
 */
async function requirePublisher(
  { actor, lender, world }: OperationInput,
  namespace: string,
): Promise<BeingName | null> {
  const owner = (await world.world(namespace))?.owner ?? null
  const may = async (being: BeingRow) =>
    being.parent === null ||
    owner === being.name ||
    (owner !== null && (await isAncestor(world, being.name, owner)))
  if (await may(actor)) return null
  if (lender !== null && (await may(lender))) return owner === null ? lender.name : null
  throw new TreeosError(
    'FORBIDDEN',
    `@${actor.name} may not publish in ${namespace}: it belongs to ${owner === null ? '@operator' : `@${owner}`}`,
  )
}

export const signalOperations: readonly Operation[] = [setWorldSignal]
