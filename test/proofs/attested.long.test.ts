/**
 * What a verifier takes on trust in a bundle of a whole reality: each field gets another value of its kind, all
 * hashes are made again, and whoever makes them has the key. docs/formats.md lists the fields where nobody
 * notices. Without the key any change is noticed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalJson, type Json } from '@treeos/core'
import { expect, it } from 'vitest'
import { Random } from '../faults/random.ts'
import { bundleOfParts, changedBundle, partsOf } from './changed-audits.ts'
import { fieldsIn, type Way } from './changed-fields.ts'
import { bundleOf } from './generated-reality.ts'
import { drawsOf, livedReality } from './law-compared.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { keyOf, sealedBundle } from './sealed-bundles.ts'
import { firstOn } from './two-opinions.ts'

/** Of each field so many places are tried: what one moment cites, another may not. */
const PLACES = Number(process.env.TREEOS_ATTESTED_PLACES ?? 4)
const REALITIES = Number(process.env.TREEOS_ATTESTED_REALITIES ?? 20)
const STEPS = 6
const MUTATIONS = Number(process.env.TREEOS_ATTESTED_MUTATIONS ?? 1000)

/** The entries of the list in docs/formats.md, each with the fields that it stands for. */
const ATTESTED: readonly (readonly [told: string, fields: RegExp])[] = [
  ['salts', /\/(basisS|s)alt$/],
  [
    'payloads and times of facts without a moment',
    /^(manifest\/at|fact<(being:bor[ne]|role:set|space:(created|opened|entered)|approval:expired)>\/(header\/at|payload\/.*))$/,
  ],
  [
    '`verb`, `zone`, `offset`, `face`, `layout`, `asKind`, `cognition.script`',
    /^moment\/open<.*>\/(verb|zone|offset|face|layout|asKind|cognition\/script)$/,
  ],
  ['names of `heads` beyond the basis', /^moment\/open<.*>\/heads\//],
  [
    'of `wake` `priority`, `hops`, `root`, `continues`',
    /^moment\/open<.*>\/wake\/(priority|hops|root|continues)$/,
  ],
  ['callers whose summon is not there', /^moment\/open<.*>\/caller\/(name|role)$/],
  ['`noted.aside.said.earlier`', /^moment\/noted\/aside\/said\/earlier$/],
  ['`promptDigest`', /^moment\/record\/promptDigest$/],
  ['`law`', /^moment\/record\/law$/],
  ['models', /^moment\/decision\/model\//],
  ['what a call that came to nothing asked for', /^moment\/decision\/call</],
  ['specs and manifests', /^blob\/content\//],
]

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

/** By field: bundles that have it, the smallest first, with a way there. */
async function fieldsOfRealities(): Promise<Map<string, { parts: Part[]; way: Way }[]>> {
  const bundles: Part[][] = []
  for (let seed = 1; seed <= REALITIES; seed++)
    bundles.push(partsOf(bundleOf((await livedReality(drawsOf(seed, STEPS), `attested-${seed}`)).lines())))
  const fields = new Map<string, { parts: Part[]; way: Way }[]>()
  for (const parts of bundles.sort((a, b) => a.length - b.length))
    for (const [line, part] of parts.entries())
      for (const [path, way] of fieldsIn(part)) {
        const field = `${part.kind}${path}`
        const known = fields.get(field) ?? []
        if (known.length < PLACES) fields.set(field, [...known, { parts, way: [String(line), ...way] }])
      }
  return fields
}

it('is in the list of docs/formats.md, field by field', async () => {
  const fields = await fieldsOfRealities()
  const unnoticed: string[] = []
  let tried = 0
  for (const [field, places] of fields) {
    for (const { parts, way } of places) {
      const forged = changed(parts, way)
      if (forged === null) continue
      tried += 1
      let bundle: Buffer
      try {
        bundle = bundleOfParts(mendedBundle(forged))
      } catch {
        continue // what was changed has no hashes
      }
      if (bundle.equals(bundleOfParts(parts))) continue // it was computed again
      const said = await firstOn({ bundle, key: null })
      if (said.status !== 'broken') {
        unnoticed.push(field)
        break
      }
    }
  }
  console.info(`${fields.size} fields, ${tried} changes, ${unnoticed.length} unnoticed`)
  const page = readFileSync(join(import.meta.dirname, '../../docs/formats.md'), 'utf8').replace(/\s+/g, ' ')
  for (const [told, fieldsOf] of ATTESTED) {
    expect(page).toContain(told)
    expect(
      unnoticed.filter((field) => fieldsOf.test(field)),
      told,
    ).not.toEqual([])
  }
  expect(unnoticed.filter((field) => !ATTESTED.some(([, fieldsOf]) => fieldsOf.test(field)))).toEqual([])
}, 3_600_000)

/** Whether one bundle has the lines of the other, in another order: that says nothing else. */
function isSaidAgain(one: Buffer, other: Buffer): boolean {
  const saidBy = (bundle: Buffer) =>
    partsOf(bundle)
      .map(({ line: _line, sum: _sum, ...said }) => canonicalJson(said))
      .sort()
  return saidBy(one).join('\n') === saidBy(other).join('\n')
}

it(`without the key each of ${MUTATIONS} effective changes of a sealed bundle is noticed`, async () => {
  const draw = new Random(11)
  const sealed: { readonly bundle: Buffer; readonly key: string }[] = []
  for (let seed = 1; seed <= REALITIES; seed++) {
    const lines = (await livedReality(drawsOf(seed, STEPS), `sealed-${seed}`)).lines()
    const one = { bundle: await sealedBundle(lines), key: keyOf(lines).verifier }
    if ((await firstOn(one)).status === 'ok') sealed.push(one)
  }
  expect(sealed.length, 'sealed bundles that are proven: the control').toBeGreaterThan(2)
  const tally: Record<string, number> = {}
  const unnoticed: string[] = []
  for (let changes = 0; changes < MUTATIONS; ) {
    const { bundle, key } = draw.pick(sealed)
    const { change, shown } = changedBundle(bundle, draw)
    if (shown.bundle?.equals(bundle) !== false) continue // nothing was changed
    changes += 1
    const { status } = await firstOn({ bundle: shown.bundle, key })
    const isSame = status === 'ok' && isSaidAgain(shown.bundle, bundle)
    const found = isSame ? 'the same lines in another order' : String(status)
    tally[found] = (tally[found] ?? 0) + 1
    if (status === 'ok' && !isSame) unnoticed.push(change)
  }
  console.info(sealed.length, tally)
  expect(unnoticed).toEqual([])
}, 3_600_000)
