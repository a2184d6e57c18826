import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCli } from '../program.ts'
import { Output } from './output.ts'

/**
 * Errors of these folders reach people in a browser, programs over HTTP and models by MCP, who have no
 * command line. What mends an error is a `Remedy` of core, and each door has words of its own for it.
 */
const FOLDERS = [
  'packages/*/src',
  'extensions/*/src',
  'apps/mcp/src',
  'apps/portal/src',
  'apps/portal/page/src',
]

/** Sources that may name a command, each for its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'packages/local/src/': 'only the command line uses it',
  'packages/host/src/prepare.ts': 'told to whoever starts a worker of their own, at a terminal',
  'packages/host/src/host-activities.ts': 'told to whoever writes a workflow of their own',
  'packages/workflows/src/being.workflow.ts': "shown in Temporal's UI, to people who run the instance",
  'packages/verify/src/main.ts': 'the help of a command line of its own',
  'packages/world/src/seed/substrate-extension.ts':
    'what a scripted being says, which recorded histories hold',
  'packages/world-file/src/text.ts': 'a comment in the file that the command writes',
  'apps/portal/src/api/describe.ts': 'the description of the API, for programmers',
  'apps/portal/src/api/trials.ts': 'the description of the API, for programmers',
  'apps/portal/src/api/receipts.ts': 'the description of the API, for programmers',
  'apps/portal/src/outlets/email.ts':
    'an e-mail with a code, which can be given in the portal or at a terminal',
  'apps/portal/page/src/replay/Branch.tsx': 'offers a command to copy: only a terminal makes forks',
  'apps/portal/page/src/trial/TrialCard.tsx': 'says what the file is for that it saves',
  'apps/portal/page/src/account/Terminal.tsx': 'whoever is sent there has typed the command',
  'apps/portal/page/src/sharing/receipt-text.ts': 'tells an auditor how to check a file',
}

const ROOT = join(import.meta.dirname, '../../../..')
const names = createCli(new Output(false))
  .program.commands.map((command) => command.name())
  .filter((name) => !name.startsWith('_'))
/** A command in a text: `treeos up`, but no name such as `@treeos/core` and no word of a sentence. */
const COMMAND = new RegExp(`(?:(?<![\\w@/.-])|(?<=\\\\n))treeos (?:${names.join('|')})(?![\\w-])`)
const COMMENT = /^\s*(?:\/\/|\/?\*)|\/\*\*.*\*\/|\/\/ .*$/

const linesOf = (file: string): string[] => readFileSync(join(ROOT, file), 'utf8').split('\n')
const namesCommand = (line: string): boolean => !COMMENT.test(line) && COMMAND.test(line)
const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT })).filter(
  (file) => !/\.test\.tsx?$/.test(file),
)
const exceptionOf = (file: string): string | undefined =>
  Object.keys(EXCEPTIONS).find((exception) => file.startsWith(exception))

it('no text that reaches browsers, programs or models names a command', () => {
  const named = files
    .filter((file) => exceptionOf(file) === undefined)
    .flatMap((file) => linesOf(file).flatMap((line, i) => (namesCommand(line) ? [`${file}:${i + 1}`] : [])))
  expect(named).toEqual([])
})

it.each(Object.keys(EXCEPTIONS))('the exception %s names a command', (exception) => {
  const covered = files.filter((file) => exceptionOf(file) === exception)
  expect(covered.some((file) => linesOf(file).some(namesCommand))).toBe(true)
})

it.each([
  ['`no entry; \\`treeos inbox\\` lists them`', true],
  ["'start it with treeos up --detach'", true],
  ["import { treeos } from '@treeos/host'", false],
  ['  // `treeos up` starts it', false],
])('%s names a command: %s', (line, isNamed) => {
  expect(namesCommand(line)).toBe(isNamed)
})
