import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { namedData, programName, spelled } from './program-name.ts'

const top = realpathSync(mkdtempSync(join(tmpdir(), 'treeos-name-')))
afterAll(() => rmSync(top, { recursive: true }))

function makeProgram(file: string): string {
  mkdirSync(resolve(file, '..'), { recursive: true })
  writeFileSync(file, '#!/usr/bin/env node\n')
  chmodSync(file, 0o755)
  return file
}

function makeLink(link: string, file: string): string {
  mkdirSync(resolve(link, '..'), { recursive: true })
  symlinkSync(file, link)
  return link
}

const main = makeProgram(join(top, 'x/node_modules/@treeos/cli/bin/treeos.js'))
const bin = makeLink(join(top, 'x/node_modules/.bin/treeos'), main)
makeLink(join(top, 'usr/bin/treeos'), main)
makeProgram(join(top, 'other/node_modules/.bin/treeos'))
makeLink(join(top, 'member/node_modules/.bin/treeos'), main)
writeFileSync(
  makeProgram(join(top, 'pnpm/node_modules/.bin/treeos')),
  '#!/bin/sh\n# cmd-shim-target=../../../x/node_modules/@treeos/cli/bin/treeos.js\n',
)
const alone = makeProgram(join(top, 'it is/treeos.js'))
const far = join(top, 'a/folder/far/below/the/top/of/all/those/folders/here')
for (const folder of ['empty', 'x/below', far]) mkdirSync(resolve(top, folder), { recursive: true })

describe('the program is called', () => {
  it.each([
    { what: 'by npx where it is installed', folder: 'x', file: bin, name: 'npx treeos' },
    { what: 'by npx below that', folder: 'x/below', file: main, name: 'npx treeos' },
    {
      what: 'by npx where another member of a workspace has it too',
      folder: 'member',
      file: bin,
      name: 'npx treeos',
    },
    { what: 'by npx where a script of pnpm runs it', folder: 'pnpm', file: bin, name: 'npx treeos' },
    { what: 'by its path elsewhere', folder: 'empty', file: bin, name: '../x/node_modules/.bin/treeos' },
    { what: 'by its whole path where that is shorter', folder: far, file: bin, name: bin },
    {
      what: 'by its path where npx would run another one',
      folder: 'other',
      file: main,
      name: '../x/node_modules/.bin/treeos',
    },
    { what: 'by its path, quoted', folder: 'empty', file: alone, name: "'../it is/treeos.js'" },
    { what: 'by its path in its own folder', folder: 'it is', file: alone, name: './treeos.js' },
    {
      what: 'by its name where the shell finds it',
      folder: 'empty',
      file: main,
      path: 'usr/bin',
      name: 'treeos',
    },
    {
      what: 'by its path where only npx had it on the PATH',
      folder: 'empty',
      file: main,
      path: 'x/node_modules/.bin',
      name: '../x/node_modules/.bin/treeos',
    },
  ])('$what', ({ folder, file, path = 'empty', name }) => {
    expect(programName({ folder: resolve(top, folder), file, path: resolve(top, path) })).toBe(name)
  })

  it('with node where it is not executable', () => {
    const file = join(top, 'empty/treeos.js')
    writeFileSync(file, '')
    expect(programName({ folder: join(top, 'empty'), file, path: '' })).toBe('node ./treeos.js')
  })
})

describe('the commands of a message', () => {
  const us = programName()

  it('name the program, and the instance that the user named', () => {
    const text =
      'nothing runs: `treeos up` starts it, `treeos status --data d` shows it; `treeos role lint FILE` is for files'
    expect(spelled(text, ' --data d')).toBe(
      `nothing runs: \`${us} up --data d\` starts it, \`${us} status --data d\` shows it; \`${us} role lint FILE\` is for files`,
    )
    expect(spelled('`treeos up` starts it')).toBe(`\`${us} up\` starts it`)
  })

  it.each([
    { args: ['see', '/'], flag: '' },
    { args: ['see', '/', '--data', 'a b'], flag: " --data 'a b'" },
    { args: ['--data=w', 'see', '/'], flag: ' --data w' },
    { args: ['tools', 'add', 'x', '--', 'y', '--data', 'z'], flag: '' },
    { args: ['see', '--data'], flag: '' },
  ])('$args name the instance by "$flag"', ({ args, flag }) => expect(namedData(args)).toBe(flag))
})

it('an advice that is read in another folder works there', () => {
  const folder = join(top, 'empty')
  const run = (command: string) =>
    spawnSync('bash', ['-c', command], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TREEOS_DATA: '' },
    })
  const program = resolve(import.meta.dirname, '../../bin/treeos.js')
  const { status, stderr } = run(`${program} see / --data nothing`)
  expect(status).toBe(1)
  const advised = /start it with `([^`]+)`/.exec(stderr)?.[1] ?? ''
  expect(advised).toMatch(/ up --data \S+nothing$/)
  expect(run(`${advised.replace(/ up --data .*/, '')} --version`)).toMatchObject({ status: 0 })
})
