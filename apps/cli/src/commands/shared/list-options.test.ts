import { expect, it } from 'vitest'
import { leaves } from '../../help/pages.ts'
import { createCli } from '../../program.ts'
import { Output } from '../../text/output.ts'
import { LISTS_OF_ACTS } from './list-options.ts'

const commands = new Map(
  leaves(createCli(new Output(false)).program).map(({ path, command }) => [path, command]),
)

/** What is listed is there now, or is counted; nobody did it at a time. */
const NO_ACTS: readonly string[] = [
  ...[
    'beings',
    'extensions',
    'extension versions',
    'operations',
    'help',
    'diff',
    'whatif',
    'dry-run list',
    'budget',
  ],
  ...['outlet list', 'hook list', 'overlay list', 'people list', 'role list', 'token list', 'tools list'],
]

it('each command that lists is named as one that lists acts, or as one that does not', () => {
  const listing = [...commands].filter(([, command]) => /^(list|follow) /.test(command.summary()))
  const unnamed = listing.map(([path]) => path).filter((path) => !NO_ACTS.includes(path))
  expect(unnamed.filter((path) => !Object.hasOwn(LISTS_OF_ACTS, path))).toEqual([])
})

it.each(Object.entries(LISTS_OF_ACTS))('%s takes the options of all lists of acts', (path, of) => {
  const options = commands.get(path)?.options.map(({ long }) => long) ?? []
  const ofTime = 'isWaiting' in of ? [] : ['--since', '--until']
  expect(options).toEqual(expect.arrayContaining([...ofTime, '--being', '--person', '--csv']))
})
