import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { createCli } from './program.ts'
import { Output } from './text/output.ts'

const ROOT = join(import.meta.dirname, '../../..')
const { program } = createCli(new Output(false))
const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
const pages = filesOf('*.md').filter((file) => !file.startsWith('test/'))
const sources = filesOf(
  'packages/**.ts',
  'apps/**.ts',
  'apps/**.tsx',
  'extensions/**.ts',
  'examples/**.ts',
).filter((file) => !/\.test\.tsx?$|\/test\//.test(file))

/** `treeos` with the words after it, where it stands as code: behind a quote, a prompt, `npx` or at the beginning of a line. */
const NAMED = /(?:^|[`'"$;|(&]|npx|-s) ?treeos((?: +(?![a-z-]*\/)[a-z][a-z-]*(?![\w:./=]))+)/gm
/** Sentences about `treeos`, and names of connections to Postgres. */
const NO_COMMANDS: ReadonlySet<string> = new Set(['takes', 'needs', 'copy', 'follower'])
const commandOf = (at: Command, word: string | undefined) =>
  at.commands.find((command) => command.name() === word || command.aliases().includes(word ?? ''))

/** What is wrong with a command that a text names; null for nothing. */
function faultOf(words: readonly string[]): string | null {
  let at: Command = program
  for (const word of words) {
    if (at.commands.length === 0) return null
    if (at === program && (word === 'help' || NO_COMMANDS.has(word))) return null
    const next = commandOf(at, word)
    if (next === undefined) return `treeos ${words.join(' ')}: ${at.name()} has no ${word}`
    at = next
  }
  return null
}

const faultsIn = (text: string): string[] =>
  [...text.matchAll(NAMED)].flatMap(([, words = '']) => faultOf(words.trim().split(/ +/)) ?? [])

it.each([
  ['pages', pages, 200],
  ['sources', sources, 100],
])('each command that our %s name is one', (_what, files, namedMin) => {
  const texts = files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
  expect(texts.flatMap(({ text }) => [...text.matchAll(NAMED)]).length).toBeGreaterThan(namedMin)
  expect(texts.flatMap(({ file, text }) => faultsIn(text).map((fault) => `${file}: ${fault}`))).toEqual([])
})

it.each([
  ['`treeos overlay put` stores one', ['treeos overlay put: overlay has no put']],
  ['$ treeos frobnicate @echo', ['treeos frobnicate: treeos has no frobnicate']],
  ['`treeos thread overlay ID TEXT` gives one', []],
  ['what a treeos being says', []],
])('a control: %s', (text, faults) => {
  expect(faultsIn(text)).toEqual(faults)
})
