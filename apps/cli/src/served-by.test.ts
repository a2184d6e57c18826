import { expect, it } from 'vitest'
import { findCommand } from './help/pages.ts'
import { needsDatabase } from './login/who-acts.ts'
import { createCli } from './program.ts'
import { insteadOf, LISTED_COMMANDS, servedBy } from './served/served-by.ts'
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
  ['replay', {}, 'api'],
  ['debug', {}, 'database'],
  ['fork', {}, 'database'],
  ['people invite', {}, 'database'],
  ['verify', {}, 'database'],
  ['verify', { bundle: 'file' }, 'alone'],
  ['login', {}, 'alone'],
] as const)('%s with %j is served by the way %s', (path, options, by) => {
  expect(servedBy(path, options)).toBe(by)
})

it.each(['verify', 'export', 'debug', 'fork', 'diff', 'why-known'])(
  '%s needs the database, and its refusal names a way without one',
  (path) => {
    expect(servedBy(path)).toBe('database')
    const { message } = needsDatabase(path, LOGIN, insteadOf(path))
    expect(message).toContain(`\`treeos ${path}\` needs the database`)
    const named = [...message.matchAll(/`treeos ([a-z-]+)/g)].map(([, name = '']) => name)
    for (const name of named) expect(findCommand(program, [name]), name).not.toBeNull()
    const other = named.filter((name) => name !== path && name !== 'logout')
    expect(other.some((name) => servedBy(name, { bundle: 'x' }) !== 'database') || path === 'verify').toBe(
      true,
    )
  },
)
const LOGIN = { url: 'https://portal.example', token: 'treeos_x', being: '@ann', reality: 'home' }
