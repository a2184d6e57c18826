/**
 * A being that is spoken to answers: also in plain prose, and also after it has used a tool. All roles that
 * we ship or show do so.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isSpokenTo, type RoleSpec } from '@treeos/roles'
import { buildRegistry, seed } from '@treeos/world'
import { describe, expect, it } from 'vitest'
import { ours } from '../support/worlds.ts'

/** Roles that are spoken to and need not answer so, with the reason. */
const EXCEPT: Readonly<Record<string, string>> = {
  operator: 'persons wear it: each of their acts is one moment',
}
const roles = [...buildRegistry([seed, ...ours]).roles.values()].map(({ spec }) => spec)
const spoken = roles.filter(isSpokenTo)
const hasTools = ({ canDo, canBe }: RoleSpec) => canDo.length + canBe.length > 0

describe('a shipped role that is spoken to', () => {
  it('there are such roles, with tools and without, and each exception is one', () => {
    expect(spoken.filter(hasTools).length).toBeGreaterThan(10)
    expect(spoken.filter((spec) => !hasTools(spec)).length).toBeGreaterThan(3)
    expect(spoken.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(EXCEPT)))
  })

  it.each(spoken.filter(({ name }) => !Object.hasOwn(EXCEPT, name)))(
    '$name answers in prose, and goes on after a tool until it has answered',
    (spec) => {
      expect(spec.prose).toBe('answers')
      if (hasTools(spec)) expect([true, 'until-answered']).toContain(spec.selfContinue)
    },
  )
})

const ROOT = resolve(import.meta.dirname, '../..')
const SHOWN = [
  'README.md',
  'docs/*.md',
  'docs/examples/*.json',
  'examples/*.{ts,md}',
  'packages/*/README.md',
  'apps/create-treeos/template/**/*.{ts,md}',
  'bench/src/minds/scenes.ts',
]

interface ShownRole {
  readonly where: string
  readonly text: string
}

/** The text of each object that has `canSummon` with the asker in it. */
function rolesIn(where: string, text: string): ShownRole[] {
  return [...text.matchAll(/canSummon["']?:\s*\[([^\]]*)/g)].flatMap(({ index, 1: list = '' }) => {
    const asks = /["']?rel["']?:\s*["']asker["']/.test(list) || /\basker\b/.test(list)
    return asks ? [{ where, text: text.slice(opening(text, index), closing(text, index)) }] : []
  })
}

function opening(text: string, from: number): number {
  let depth = 0
  for (let i = from; i >= 0; i--) {
    if (text[i] === '}') depth += 1
    if (text[i] === '{') depth -= 1
    if (depth < 0) return i
  }
  return 0
}
function closing(text: string, from: number): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth += 1
    if (text[i] === '}') depth -= 1
    if (depth < 0) return i + 1
  }
  return text.length
}

const faultsOf = ({ text }: ShownRole): string[] => [
  ...(/prose["']?:\s*["']answers/.test(text) ? [] : ['no prose: answers']),
  ...(/can(Do|Be)["']?:\s*\[\s*[^\]\s]/.test(text) && !/selfContinue["']?:/.test(text)
    ? ['tools and no selfContinue']
    : []),
]

describe('a role in our docs, examples and templates that can answer who asks it', () => {
  const shown = SHOWN.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).flatMap((file) =>
    rolesIn(file, readFileSync(join(ROOT, file), 'utf8')),
  )

  it('answers in prose, and goes on after a tool until it has answered', () => {
    expect(shown.length).toBeGreaterThan(10)
    expect(shown.flatMap((role) => faultsOf(role).map((fault) => ({ ...role, fault })))).toEqual([])
  })

  it('a control: a role that only prose or a tool would silence is found', () => {
    const only = (text: string) => rolesIn('x', text).flatMap(faultsOf)
    const asker = '"canSummon": [{ "rel": "asker" }]'
    expect(only(`[{ "name": "a" }, { ${asker}, "prompt": "{x}" }]`)).toEqual(['no prose: answers'])
    expect(only(`{ "canDo": ["x"], ${asker}, "prose": "answers" }`)).toEqual(['tools and no selfContinue'])
    expect(only(`{ "canDo": [], ${asker}, "prose": "answers" }`)).toEqual([])
  })
})
