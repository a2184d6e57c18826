/**
 * What a verifier takes on trust in a bundle of a whole reality: each field gets another value of its kind, all
 * hashes are made again, and whoever makes them has the key. docs/formats.md lists the fields where nobody
 * notices.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@treeos/core'
import { expect, it } from 'vitest'
import { Random } from '../faults/random.ts'
import { useAuditedScene } from './audited-scene.ts'
import { bundleOfParts, partsOf } from './changed-audits.ts'
import { fieldsIn, type Way } from './changed-fields.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { firstOn } from './two-opinions.ts'

/** Of each field so many places are tried: what one moment cites, another may not. */
const PLACES = Number(process.env.TREEOS_ATTESTED_PLACES ?? 6)
const scene = useAuditedScene()

const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** Another value of the same kind; undefined for lists and objects, whose parts are changed. */
function other(value: Json): Json | undefined {
  if (typeof value === 'string') {
    if (isHash(value)) return `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`
    return `${value}x`
  }
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return undefined
}

function changed(parts: readonly Part[], way: Way): Part[] | null {
  const copy: Part[] = structuredClone(parts) as Part[]
  const holder = way.slice(0, -1).reduce((part: Part, key) => part[key], copy as unknown as Part)
  const to = other(holder[way.at(-1)!])
  if (to === undefined) return null
  holder[way.at(-1)!] = to
  return copy
}

it('is in the list of docs/formats.md, field by field', async () => {
  const parts = partsOf(scene.bundles[0]!).filter(({ kind }) => kind !== 'checkpoint' && kind !== 'proof')
  const ways = new Map<string, Way[]>()
  for (const [field, way] of fieldsIn(parts)) ways.set(field, [...(ways.get(field) ?? []), way])
  const draw = new Random(7)
  const told = await firstOn({ bundle: bundleOfParts(mendedBundle(structuredClone(parts))), key: null })
  expect(told.status).toBe('unproven') // no key is given
  const unnoticed: string[] = []
  let tried = 0
  for (const [field, all] of ways) {
    for (const way of draw.shuffled(all).slice(0, PLACES)) {
      const forged = changed(parts, way)
      if (forged === null) continue
      tried += 1
      const said = await firstOn({ bundle: bundleOfParts(mendedBundle(forged)), key: null })
      if (said.status !== 'broken') {
        unnoticed.push(field)
        break
      }
    }
  }
  console.info(`${ways.size} fields, ${tried} changes, ${unnoticed.length} unnoticed`)
  console.info(unnoticed.sort().join('\n'))
  const page = readFileSync(join(import.meta.dirname, '../../docs/formats.md'), 'utf8')
  expect(page).toContain('What no format shows')
}, 3_600_000)
