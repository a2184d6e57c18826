/** The examples of docs/formats.md are what this package computes. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFlow, explainFlow } from '@treeos/roles'
import { seed } from '@treeos/world'
import { expect, it } from 'vitest'
import { canonical, type Json } from './canonical.ts'
import { FORMS } from './forms/forms.ts'
import {
  actHash,
  factHash,
  genesisHash,
  lineHash,
  saltedHash,
  saltedHeadHash,
  saltOfHead,
  valueHash,
} from './hash.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/formats.md'), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: each kind of example has fields of its own
type Example = Record<string, any>

const examples: Example[] = [...page.matchAll(/```json\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.split(/^(?=\{ "example")/m).map((text) => JSON.parse(text)),
)

const sha256 = (...parts: Uint8Array[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')

/** Whether conditions hold; null for malformed ones. */
function holds(when: Json, context: Json): boolean | null {
  const flow = compileFlow([{ when, role: 'one' }])
  const { clauses } = explainFlow(flow, { context, cognition: 'human', roles: { one: {} } } as never)
  const [{ result } = { result: 'malformed' }] = clauses
  return result === 'malformed' ? null : result === 'primary'
}

const COMPUTED: Record<string, (example: Example) => Json> = {
  genesis: ({ reality, reel }) => genesisHash(reality, reel),
  salted: ({ salt, content }) => saltedHash(salt, content),
  fact: ({ prev, header }) => factHash(prev, header),
  value: ({ content }) => valueHash(content),
  headSalt: ({ salt, head }) => saltOfHead(salt, head),
  head: ({ salt, head }) => saltedHeadHash(salt, head),
  act: ({ moment, decision, facts }) => actHash({ moment, decision, facts }),
  line: ({ before, body }) => lineHash(before, body),
  when: ({ when, context }) => holds(when, context),
  leaf: ({ entry }) => sha256(Buffer.of(0), Buffer.from(canonical(entry))),
  node: ({ left, right }) => sha256(Buffer.of(1), Buffer.from(left, 'hex'), Buffer.from(right, 'hex')),
}

it('has an example of each kind, and each is computed as it says', () => {
  expect([...new Set(examples.map(({ example }) => example))].sort()).toEqual(Object.keys(COMPUTED).sort())
  for (const example of examples) {
    const said = example.hash ?? example.holds
    expect({ ...example, said: COMPUTED[example.example]!(example) }).toEqual({ ...example, said })
  }
})

it('shows the canonical form of values', () => {
  const rows = [...page.matchAll(/^\| `([{[].*?)`\s+\| `(.*?)`\s*\|$/gm)].filter(([, value = '']) => {
    try {
      return JSON.parse(value) !== null
    } catch {
      return false
    }
  })
  const shown = rows.filter(([, , form = '']) => /^[{[]/.test(form))
  expect(shown.length).toBeGreaterThan(1)
  for (const [, value = '', form] of shown) expect(canonical(JSON.parse(value))).toBe(form)
})

it('has the rule of every operation of TreeOS', () => {
  const [, table = ''] = /### Operations\n(.*?)\n## /s.exec(page) ?? []
  const told: Record<string, Record<string, string[]>> = { do: {}, be: {} }
  for (const [, operations = '', rule = ''] of table.matchAll(/^\| ((?:do|be) .*?)\|(.*?)\|$/gm))
    for (const part of operations.split(';')) {
      const verb = part.trim().split(' ')[0]!
      for (const [, name = ''] of part.matchAll(/`(.*?)`/g))
        told[verb]![name] = [...rule.matchAll(/`(.*?)`/g)].map(([, standing = '']) => standing)
    }
  const rulesOf = (operations: typeof seed.operations) =>
    Object.fromEntries(operations.map(({ name, allow }) => [name, [...allow]]))
  expect(told).toEqual({ do: rulesOf(seed.operations), be: rulesOf(seed.beOperations) })
})

it('has the forms that this verifier and the second one read', () => {
  const second = join(import.meta.dirname, '../../../clients/python-verify/treeos_verify/forms.py')
  const [, ofPage = ''] = /### Forms\n.*?```text\n(.*?)```/s.exec(page) ?? []
  const [, ofSecond = ''] = /^FORMS = """\n(.*?)"""/ms.exec(readFileSync(second, 'utf8')) ?? []
  const [told, own, other] = [ofPage, FORMS, ofSecond].map((table) =>
    table.trim().replaceAll('\n  ', '').split('\n'),
  )
  expect(own).toEqual(told)
  expect(other).toEqual(told)
})
