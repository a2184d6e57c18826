import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { workflowsPath as ourWorkflows } from './treeos.ts'
import { workflowBundle } from './workflow-bundle.ts'

let home: string
let folder: string
let workflowsPath: string
const steps = (text: string) =>
  writeFileSync(join(home, 'steps.js'), `export const steps = () => 'walks ${text}'`)
/** Says for a kept bundle whether it is taken: a new one does not have this line. */
const MARK = '\n// kept'
const seen = async () => {
  const { code } = await workflowBundle({ folder, workflowsPath })
  return { says: /'walks (\w+)'/.exec(code)?.[1], isKept: code.endsWith(MARK) }
}
const mark = () => {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (!text.endsWith(MARK)) writeFileSync(join(folder, name), text + MARK)
  }
}

beforeAll(() => {
  // Inside the package of our workflows, where the SDK is found.
  home = mkdtempSync(join(dirname(ourWorkflows), '../node_modules/.treeos-bundle-'))
  folder = join(home, 'bundles')
  workflowsPath = join(home, 'workflows.js')
  writeFileSync(workflowsPath, `import { steps } from './steps.js'\nexport const walk = async () => steps()`)
  steps('one')
})
afterAll(() => rmSync(home, { recursive: true }))

it('is made once, and again when a file that it was made of changed', async () => {
  expect(await seen()).toEqual({ says: 'one', isKept: false })
  mark()
  expect(await seen()).toEqual({ says: 'one', isKept: true })
  steps('two')
  expect(await seen()).toEqual({ says: 'two', isKept: false })
  expect(readdirSync(folder).filter((name) => name.endsWith('.js'))).toHaveLength(1)
})

it('is made again when what is kept is damaged', async () => {
  mark()
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.json')))
    writeFileSync(join(folder, name), '{')
  expect(await seen()).toEqual({ says: 'two', isKept: false })
})

it('is made where it cannot be kept, and says why', async () => {
  const taken = join(home, 'taken')
  writeFileSync(taken, '')
  const problems: string[] = []
  const onProblem = (message: string) => problems.push(message)
  const { code } = await workflowBundle({ folder: taken, workflowsPath, onProblem })
  expect(code.includes('walks two')).toBe(true)
  expect(problems).toEqual([`the bundle of the workflows cannot be kept in ${taken}: EEXIST`])
})
