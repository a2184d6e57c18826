/** From the first release on no recorded history is changed or deleted. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedSinceTags, REPOSITORY } from './recordings.ts'

it('every recording that a release of this clone holds is there as it was', async () => {
  expect(await changedSinceTags(REPOSITORY)).toEqual([])
})

describe('a clone', () => {
  let clone: string
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-C', clone, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  const fileOf = (name: string) => join(clone, 'test/histories', name)
  const commit = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) await writeFile(fileOf(name), text)
    await git('add', '.')
    await git('commit', '--quiet', '-m', 'a test')
  }
  beforeAll(async () => {
    clone = await mkdtemp(join(tmpdir(), 'treeos-released-'))
    await mkdir(join(clone, 'test/histories'), { recursive: true })
  })
  afterAll(() => rm(clone, { recursive: true }))

  it('may change its recordings until it is tagged, then only add some', async () => {
    expect(await changedSinceTags(clone)).toEqual([]) // no commits
    await git('init', '--quiet')
    await commit({ one: '1', two: '2' })
    await commit({ one: '1, recorded again' })
    expect(await changedSinceTags(clone)).toEqual([])
    await git('tag', '-a', 'v1', '-m', 'a release')
    await commit({ three: '3' })
    expect(await changedSinceTags(clone)).toEqual([])
  })

  it('control: is told of those that changed, whether that is committed or not', async () => {
    await commit({ two: '2, recorded again' })
    expect(await changedSinceTags(clone)).toEqual(['test/histories/two'])
    await rm(fileOf('one'))
    expect(await changedSinceTags(clone)).toEqual(['test/histories/one', 'test/histories/two'])
    await git('tag', 'v2') // a release of the change does not undo it
    expect(await changedSinceTags(clone)).toEqual(['test/histories/one', 'test/histories/two'])
  })
})
