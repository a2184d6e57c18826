import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { workflowsPath as ours, treeos } from './treeos.ts'

const ignore = () => undefined
const logger = { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }
let home: string
beforeAll(() => {
  // Inside the package of our workflows, where the SDK is found.
  home = mkdtempSync(join(dirname(ours), '../node_modules/.treeos-joined-'))
  writeFileSync(join(home, 'package.json'), '{"name":"a-host"}')
})
afterAll(() => rmSync(home, { recursive: true }))

let count = 0
/** Bundles what a host has as workflows beside ours. */
function bundle(code: string) {
  const workflowsPath = join(home, `workflows-${count++}.mjs`)
  writeFileSync(workflowsPath, code)
  return bundleWorkflowCode({ workflowsPath, plugins: [treeos()], logger })
}

it('a host that has workflows of our names of its own is refused when it is bundled', async () => {
  const names = ['treeosBeing', 'treeosSchedule', 'treeosTask', 'treeosCall']
  const made = bundle(names.map((name) => `export const ${name} = async () => 'of the host'`).join('\n'))
  await expect(made).rejects.toThrow(`has a workflow ${names.join(', ')} of its own`)
})

it('one that it exports from another module of its own is refused, too', async () => {
  writeFileSync(join(home, 'tasks.mjs'), `export const treeosTask = async () => 'of the host'`)
  await expect(bundle(`export * from './tasks.mjs'`)).rejects.toThrow(/has a workflow treeosTask/)
})

it('one that exports ours again, and has others, is bundled', async () => {
  const { code } = await bundle(
    `export * from ${JSON.stringify(ours)}\nexport const task = async () => 'walks on'`,
  )
  expect(code).toContain('walks on')
})
