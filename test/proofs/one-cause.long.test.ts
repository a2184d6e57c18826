/** A bundle with one fault gives one reason, wherever the fault shows besides. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing } from '@treeos/client'
import { exportBundle } from '@treeos/proofs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, play, tell } from '../support/life.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { type Line, linesOf, summed, textOf, verifyBytes } from './bundle-lines.ts'

const world = useWorld({ extensions: [stage] })
const folder = mkdtempSync(join(tmpdir(), 'treeos-one-cause-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let key: LogKey
const bundles: Record<string, string[]> = {}

beforeAll(async () => {
  key = newLogKey(world.reality)
  const puppet = { cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' } as const
  for (const name of ['ann', 'ben']) await world.birth({ ...puppet, name })
  await play(world, 'ann', { verb: 'summon', target: '@ben', content: 'a secret' })
  await play(world, 'ann', {
    verb: 'do',
    operation: 'set-being',
    target: null,
    args: { field: 'mood', value: 'calm' },
  })
  await live(world, 'ben', 'hello')
  await tell(world, 'ann', 'one more')
  const { moment } = await world.db
    .selectFrom('moment_outcome')
    .select('moment')
    .where('being', '=', 'ann')
    .where('n', '=', 1)
    .executeTakeFirstOrThrow()
  await act(world, 'operator', await erasing(world.db, moment, 'asked to'))
  const log = await naiveLog(world.db, key)
  for (const being of [null, 'ann']) {
    const file = join(folder, 'bundle.jsonl')
    await exportBundle(world.db, world.reality, {
      log: async () => log,
      file,
      ...(being === null ? {} : { being }),
    })
    bundles[being ?? 'all'] = linesOf(readFileSync(file))
  }
})

const faultsOf = async (lines: readonly string[], isSummed: boolean) =>
  (await verifyBytes(isSummed ? summed(lines) : textOf(lines), key.verifier)).broken

describe.each(['all', 'ann'])('of the bundle of %s', (which) => {
  it('each line that is dropped or doubled is told once, where it was', async () => {
    const lines = bundles[which]!
    expect(lines.length).toBeGreaterThan(15)
    expect(await faultsOf(lines, false)).toEqual([]) // the control
    for (const [at, text] of lines.entries())
      for (const change of ['dropped', 'doubled'] as const) {
        const changed = change === 'dropped' ? lines.toSpliced(at, 1) : lines.toSpliced(at, 0, text)
        const found = await faultsOf(changed, false)
        expect({ at, change, of: text.slice(0, 200), found }).toMatchObject({ found: [{}] })
      }
  })

  it('each line that is dropped or doubled with all numbers and sums made again is told once at most', async () => {
    const lines = bundles[which]!
    const kinds = new Set<string>()
    for (const [at, text] of lines.entries())
      for (const change of ['dropped', 'doubled'] as const) {
        const changed = change === 'dropped' ? lines.toSpliced(at, 1) : lines.toSpliced(at, 0, text)
        const found = await faultsOf(changed, true)
        const { kind }: Line = JSON.parse(text)
        expect({ at, change, of: text.slice(0, 200), found: found.slice(1) }).toMatchObject({ found: [] })
        if (found.length > 0) kinds.add(`${kind} ${change}`)
      }
    for (const kind of ['head', 'fact', 'blob', 'moment', 'checkpoint', 'end'])
      expect([...kinds]).toEqual(expect.arrayContaining([`${kind} dropped`, `${kind} doubled`]))
  })

  it('two changes are told as two, also behind a line that was dropped (the control)', async () => {
    const lines = bundles[which]!
    const facts = lines.flatMap((text, at) =>
      text.startsWith('{"hash"') && text.includes('"salt":"') ? [at] : [],
    )
    const [first, last] = [facts[1]!, facts.at(-1)!]
    const edited = (text: string) =>
      text.replace(/"salt":"./, (start) => (start.endsWith('a') ? '"salt":"b' : '"salt":"a'))
    const changed = lines.with(last, edited(lines[last]!)).with(first, edited(lines[first]!))
    expect((await faultsOf(changed, true)).map(({ reason }) => reason)).toEqual([
      'payload-mismatch',
      'payload-mismatch',
    ])
    const reasons = (await faultsOf(lines.with(last, edited(lines[last]!)).toSpliced(first, 1), false)).map(
      ({ reason }) => reason,
    )
    expect(reasons).toEqual(['line-mismatch', 'payload-mismatch'])
  })
})
