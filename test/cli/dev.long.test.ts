import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { CliInstance } from './instance.ts'

const PACKAGES = resolve(import.meta.dirname, '../../examples/worlds/court/node_modules')
const folder = mkdtempSync(join(tmpdir(), 'treeos-dev-'))
const source = join(folder, 'src/index.ts')
mkdirSync(join(folder, 'src'))
symlinkSync(PACKAGES, join(folder, 'node_modules'))
const home = new CliInstance(() => ({ TREEOS_EXTENSIONS: source }))
afterAll(async () => {
  await home.remove()
  rmSync(folder, { recursive: true })
})

/** An extension whose beings all say one word. */
const saying = (word: string, ...names: string[]) => {
  const scene = names.map((name) => ({
    verb: 'be',
    operation: 'birth',
    args: { name, cognition: 'scripted', script: 'plot:say' },
  }))
  return `import { answer, defineExtension } from '@treeos/sdk'
export default defineExtension({
  name: 'plot',
  version: '1.0.0',
  scripts: { 'plot:say': () => answer(${JSON.stringify(word)}) },
  scene: ${JSON.stringify(scene)},
})
`
}

it('a change of an extension is lived and planted within seconds, one that cannot be loaded is told, and Ctrl-C ends all', async () => {
  writeFileSync(source, saying('one', 'keeper'))
  const began = performance.now()
  const dev = home.start(['dev', '--no-portal', '--demo', 'plot'])
  let said = ''
  dev.stderr?.setEncoding('utf8').on('data', (text) => (said += text))
  dev.stdout?.resume()
  const ended = once(dev, 'close')
  const told = async (text: string | RegExp) => {
    await vi.waitUntil(() => said.match(text) !== null || dev.exitCode !== null, { timeout: 120_000 })
    expect(said).toMatch(text)
  }
  const answerOf = async (being: string) =>
    (await home.json<{ reply: { content: string } }>(['summon', being, 'hello', '--wait', '30'])).reply
      .content
  await told(/watching .*Ctrl-C stops the instance/)
  const upMs = performance.now() - began
  expect(home.state.services.map(({ name }) => name)).not.toContain('portal')
  expect(await answerOf('@keeper')).toBe('one')

  writeFileSync(source, 'export default {')
  await told('the workers go on with the code before')
  expect(await answerOf('@keeper')).toBe('one')

  writeFileSync(source, saying('two', 'keeper', 'sower'))
  await told(/reloaded in (\S+) s/)
  const [, seconds] = /reloaded in (\S+) s/.exec(said) ?? []
  expect(1000 * Number(seconds), `up took ${Math.round(upMs)} ms`).toBeLessThan(upMs)
  expect(await answerOf('@keeper')).toBe('two')
  expect(await answerOf('@sower')).toBe('two')

  dev.kill('SIGINT')
  await ended
  expect(home.state.services).toEqual([])
})
