import { afterEach, expect, it, vi } from 'vitest'
import { defineExtension, defineOperation, setQuality } from './index.ts'
import { being, decide } from './testing.ts'

afterEach(() => vi.unstubAllGlobals())

/**
 * Decides, and then has the operation change what it returned.
 * @returns the path of the fact that is written
 */
async function decideAndChange(): Promise<unknown> {
  const returned: { payload: object }[] = []
  const held = defineExtension({
    name: 'held',
    version: '1.0.0',
    operations: [
      defineOperation({
        name: 'held:keep',
        description: 'Keeps what it returns.',
        on: 'being',
        allow: ['self'],
        decide({ actor }) {
          const facts = [setQuality(actor, 'held.done', true)]
          returned.push(...facts)
          return { facts }
        },
      }),
    ],
  })
  const ann = being({ name: 'ann' })
  const { facts } = await decide(held, 'held:keep', { actor: ann, target: ann })
  for (const { payload } of returned) Object.assign(payload, { path: ['roleFlow'] })
  return facts[0]?.payload.path
}

it('an operation cannot change a fact after it was checked', async () => {
  expect(await decideAndChange()).toEqual(['held', 'done'])
})

it('control: it could if what it returns were not copied', async () => {
  vi.stubGlobal('structuredClone', (given: unknown) => given)
  expect(await decideAndChange()).toEqual(['roleFlow'])
})
