import { expect, it } from 'vitest'
import { findCommand } from './help/pages.ts'
import { createCli } from './program.ts'
import { LISTED_COMMANDS, servedBy } from './served/served-by.ts'
import { Output } from './text/output.ts'

const { program } = createCli(new Output(false))

it.each(LISTED_COMMANDS.filter((path) => !path.startsWith('__')))(
  '%s, which is listed, is a command',
  (path) => {
    expect(findCommand(program, path.split(' '))).not.toBeNull()
  },
)

it.each([
  ['moments', {}, 'api'],
  ['role set', {}, 'api'],
  ['role compose', {}, 'alone'],
  ['flow lint', {}, 'api'],
  ['flow eval', {}, 'alone'],
  ['token list', {}, 'api'],
  ['token create', {}, 'database'],
  ['tools add', {}, 'api'],
  ['secret set', {}, 'database'],
  ['replay', {}, 'database'],
  ['people invite', {}, 'database'],
  ['verify', {}, 'database'],
  ['verify', { bundle: 'file' }, 'alone'],
  ['login', {}, 'alone'],
] as const)('%s with %j is served by the way %s', (path, options, by) => {
  expect(servedBy(path, options)).toBe(by)
})
