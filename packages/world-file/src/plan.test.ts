import { parseRole } from '@treeos/roles'
import { expect, it } from 'vitest'
import { planOf } from './plan.ts'
import { readWorldText } from './text.ts'

const FILE = 'treeos: 1\nroles:\n  worker: {canDo: [operate-lathe, move], prompt: Work.}\n'

/** Paths of the steps that plant the file where the role is kept with these operations. */
function stepsWhere(canDo: readonly string[]): string[] {
  const kept = parseRole({ name: 'worker', canDo, prompt: 'Work.' })
  const rows = {
    ...{ beings: new Map(), spaces: new Map(), signals: new Map(), outside: new Set<string>() },
    roles: new Map([['worker', kept]]),
  }
  return planOf(readWorldText(FILE, 'w.yaml'), rows).steps.map(({ path }) => path)
}

it('a role whose operation leaves out the prefix of an extension is not planted again', () => {
  expect(stepsWhere(['factory:operate-lathe', 'move'])).toEqual([])
  expect(stepsWhere(['operate-lathe', 'move'])).toEqual([])
})

it('a role with another operation is planted', () => {
  expect(stepsWhere(['factory:operate-press', 'move'])).toEqual(['roles.worker'])
  expect(stepsWhere(['factory:operate-lathe'])).toEqual(['roles.worker'])
})
