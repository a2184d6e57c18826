/** No recorded history goes or changes unseen, and they hold what workflows of every version come by. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type History, readArchive } from '@treeos/host'
import { BEING_VERSION, beingWorkflowId } from '@treeos/protocol'
import { type Run, replayFromTemporal } from '@treeos/replay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReplayer } from '../support/replaying.ts'
import { digestsOf, HISTORIES, MANIFEST, olderManifests, patchesIn, presentCode } from './kept-histories.ts'
import { appendEntries, type Code, type Entry, faultsOf, type Held, PINNED, pinOf } from './manifest.ts'
import { scenariosIn, versionOf } from './scenarios-in.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
/** All versions together, and the present one alone. */
const SCENARIOS_MIN = 120
const SCENARIOS_OF_PRESENT_MIN = 60

describe('the recorded histories', () => {
  it('are those of the manifest, to the byte, and no commit of this clone has more', async () => {
    const older = await olderManifests(REPOSITORY, 'test/histories/manifest.jsonl')
    if (older === null) console.error('evolution: no commits are here to compare the manifest with')
    const held: Held = {
      manifest: await readFile(MANIFEST, 'utf8'),
      pinned: PINNED,
      files: await digestsOf(HISTORIES),
      code: await presentCode(),
      older: older ?? [],
    }
    expect(faultsOf(held)).toEqual([])
    expect(held.files.size).toBeGreaterThan(100)
  })

  it(`hold ${SCENARIOS_MIN} scenarios, ${SCENARIOS_OF_PRESENT_MIN} of them by the present version, and runs of every version`, async () => {
    const scenarios = new Set<string>()
    const versions = new Set<number>()
    for (const recording of await readdir(HISTORIES, { withFileTypes: true })) {
      if (!recording.isDirectory()) continue
      const folder = join(HISTORIES, recording.name)
      for (const being of await readdir(folder)) {
        for (const history of (await readArchive(folder, being)).values()) {
          versions.add(versionOf(history))
          for (const scenario of scenariosIn(history)) scenarios.add(scenario)
        }
      }
    }
    expect([...versions].sort()).toEqual(Array.from({ length: BEING_VERSION }, (_, i) => i + 1))
    const present = [...scenarios].filter((scenario) => scenario.startsWith(`v${BEING_VERSION} `))
    console.error(`evolution: ${scenarios.size} scenarios, ${present.length} of version ${BEING_VERSION}`)
    expect(scenarios.size).toBeGreaterThanOrEqual(SCENARIOS_MIN)
    expect(present.length).toBeGreaterThanOrEqual(SCENARIOS_OF_PRESENT_MIN)
  })
})

describe('control: a recorded history does not replay', () => {
  const recorded = async () => {
    const [[runId, history] = []] = await readArchive(join(HISTORIES, '2026-11-ends-in-silence'), 'thinker')
    return { runId: runId ?? '', history: history ?? {}, workflowId: beingWorkflowId('recorded', 'thinker') }
  }
  const errorOf = async (run: Run) => (await (await openReplayer()).replay(run)).error
  const localsOf = ({ events }: History) =>
    (events ?? []).filter(
      (event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity',
    )

  it('once two of its commands have changed places; before that it does', async () => {
    const run = await recorded()
    expect(await errorOf(run)).toBeNull()
    const [first, second] = localsOf(run.history)
    if (first === undefined || second === undefined) throw new Error('the recording has too few commands')
    const attributes = first.markerRecordedEventAttributes
    first.markerRecordedEventAttributes = second.markerRecordedEventAttributes
    second.markerRecordedEventAttributes = attributes
    expect(await errorOf(run)).toContain('TMPRL1100')
  })

  it('once one of its commands is gone', async () => {
    const run = await recorded()
    const [, gone] = localsOf(run.history)
    run.history.events = (run.history.events ?? []).filter((event) => event !== gone)
    expect(await errorOf(run)).not.toBeNull()
  })
})

describe('the version that a run names for the next one', () => {
  const mismatches = async (version: number | null) => {
    const runs = [...(await readArchive(join(HISTORIES, '2026-11-version-3'), 'operator'))].map(
      ([runId, history]) => ({ runId, history, workflowId: beingWorkflowId('recorded', 'operator') }),
    )
    for (const { history } of runs) {
      const [payload] =
        history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ?? []
      if (version === null || payload === undefined) continue
      const input = JSON.parse(Buffer.from(payload.data ?? []).toString()) as object
      payload.data = Buffer.from(JSON.stringify({ ...input, version }))
    }
    return replayFromTemporal(await openReplayer(), 'operator', runs, null)
  }

  it('may be that of the older code which ran it', async () => {
    expect(await mismatches(null)).toEqual([])
  })
  it.each([2, BEING_VERSION + 1])(
    'control: is not %d, since the run had 3 and the code has less',
    async (version) => {
      expect(await mismatches(version)).not.toEqual([])
    },
  )
})

describe('the guard of recorded histories', () => {
  const code: Code = { version: 4, patches: ['short-way'] }
  const entry = (file: string, sha256 = `of ${file}`): Entry => ({ file, sha256, code })
  const ENTRIES = ['a', 'b', 'c'].map((file) => entry(file))

  /** What holds: three recordings as they were recorded. */
  const held = ({ entries = ENTRIES, ...changed }: Partial<Held> & { entries?: Entry[] } = {}): Held => {
    const manifest = appendEntries('', entries)
    const files = new Map(
      ENTRIES.map((one) => ['file' in one ? one.file : '', 'file' in one ? one.sha256 : '']),
    )
    const older = [appendEntries('', ENTRIES)]
    return { manifest, pinned: pinOf(manifest), files, code, older, ...changed }
  }
  const without = (file: string) => new Map([...held().files].filter(([name]) => name !== file))
  const and = (file: string, sha256: string) => new Map([...held().files, [file, sha256]])

  it('finds nothing where nothing was changed, or where a recording came to them', () => {
    expect(faultsOf(held())).toEqual([])
    expect(faultsOf(held({ entries: [...ENTRIES, entry('d')], files: and('d', 'of d') }))).toEqual([])
  })

  const retiring = (since: { version: number } | { patch: string }): Entry[] => [
    ...ENTRIES,
    { retires: 2, since, because: 'a test' },
  ]
  it.each<[string, Held, RegExp]>([
    ['was deleted', held({ files: without('b') }), /^b is missing$/],
    ['was recorded again', held({ files: and('b', 'another') }), /^b was changed$/],
    ['has no entry', held({ files: and('d', 'of d') }), /^d is not in the manifest$/],
    [
      'was recorded again, with its entry',
      held({
        manifest: held().manifest.replace('of b', 'another'),
        pinned: held().pinned,
        files: and('b', 'another'),
      }),
      /^line 2 of the manifest or one before it was changed$/,
    ],
    [
      'was recorded again, with its entry and all hashes after it',
      held({
        entries: [entry('a'), entry('b', 'another'), entry('c')],
        pinned: held().pinned,
        files: and('b', 'another'),
      }),
      /are pinned$/,
    ],
    [
      'was recorded again, with its entry, all hashes and the pinned one',
      held({ entries: [entry('a'), entry('b', 'another'), entry('c')], files: and('b', 'another') }),
      /^a commit of this clone has a line that is no more$/,
    ],
    [
      'was deleted with the last line',
      held({ entries: ENTRIES.slice(0, 2), pinned: held().pinned, files: without('c') }),
      /^the manifest has 2 lines/,
    ],
    ['was recorded twice', held({ entries: [...ENTRIES, entry('b')] }), /^b was recorded twice$/],
    [
      'is of a version that the code does not know',
      held({
        entries: [...ENTRIES, { file: 'd', sha256: '', code: { ...code, version: 5 } }],
        files: and('d', ''),
      }),
      /^d was recorded by version 5, newer than the code$/,
    ],
    [
      'is retired by the version that recorded it',
      held({ entries: retiring({ version: 4 }), files: without('b') }),
      /^line 4 retires b without a version or a patch that is newer than it$/,
    ],
    [
      'is retired by a version that does not exist',
      held({ entries: retiring({ version: 5 }), files: without('b') }),
      /^line 4 retires b without/,
    ],
    [
      'is retired by a patch that it knew',
      held({ entries: retiring({ patch: 'short-way' }), files: without('b') }),
      /^line 4 retires b without/,
    ],
    [
      'is retired by a patch that does not exist',
      held({ entries: retiring({ patch: 'unheard-of' }), files: without('b') }),
      /^line 4 retires b without/,
    ],
    [
      'is retired twice',
      held({
        entries: [...retiring({ version: 5 }), { retires: 2, since: { version: 5 }, because: '' }],
        files: without('b'),
        code: { ...code, version: 5 },
      }),
      /^line 5 retires line 2, which is not a recording that is held$/,
    ],
  ])('control: says it when a recording %s', (_what, changed, says) => {
    expect(faultsOf(changed)).toContainEqual(expect.stringMatching(says))
  })

  it.each<[string, Code, Entry[]]>([
    ['a higher version', { version: 5, patches: [] }, retiring({ version: 5 })],
    ['a new patch', { version: 4, patches: ['short-way', 'since'] }, retiring({ patch: 'since' })],
  ])('lets a recording go by %s', (_what, now, entries) => {
    expect(faultsOf(held({ entries, files: without('b'), code: now }))).toEqual([])
  })

  it('reads the patches of the workflows, by name and by constant', async () => {
    expect((await presentCode()).patches).toEqual(['rests-anew', 'short-way'])
    expect(patchesIn(`if (patched('one')) {}; deprecatePatch(TWO)\nconst TWO = 'two'`)).toEqual([
      'one',
      'two',
    ])
  })
})

describe('commits of a clone', () => {
  let folder: string
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'treeos-evolution-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('are all read, also what a later one took away; a folder without commits says so', async () => {
    expect(await olderManifests(folder, 'manifest.jsonl')).toBeNull()
    await git('init', '--quiet')
    for (const text of ['one\n', 'one\ntwo\n', 'one\nthree\n']) {
      await writeFile(join(folder, 'manifest.jsonl'), text)
      await git('add', '.')
      await git('commit', '--quiet', '-m', 'a test')
    }
    expect(await olderManifests(folder, 'manifest.jsonl')).toEqual(['one\nthree\n', 'one\ntwo\n', 'one\n'])
  })
})
