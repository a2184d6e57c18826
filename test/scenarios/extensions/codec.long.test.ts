import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import type { temporal } from '@temporalio/proto'
import { summon } from '@treeos/client'
import { Archivist, type History } from '@treeos/host'
import { beingWorkflowId, scheduleId } from '@treeos/protocol'
import { locateMoment, replay } from '@treeos/replay'
import { listOutcomes } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CliInstance } from '../../cli/instance.ts'
import { AesCodec, type AesKeys, newAesKey, writeAesKeys } from '../../support/aes-codec.ts'
import { type CodecServer, startCodecServer } from '../../support/codec-server.ts'
import { migratedDatabase, type OwnDatabase } from '../../support/database.ts'
import { doAs, live, play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { openReplayer } from '../../support/replays.ts'
import till, { sent } from '../../support/till.ts'
import { useModelServer } from '../../support/use-world.ts'
import { startWorld, type World } from '../../support/world.ts'

type Payload = temporal.api.common.v1.IPayload

const keys: AesKeys = new Map([['first', newAesKey()]])
const codec = new AesCodec(keys)
const modelServer = useModelServer()
let database: OwnDatabase
let world: World
let server: CodecServer

beforeAll(async () => {
  database = await migratedDatabase()
  server = await startCodecServer(codec)
  world = await startWorld({
    database,
    dataConverter: { payloadCodecs: [codec] },
    extensions: [stage, till],
    modelUrl: modelServer.url,
    shortMindMs: 0, // each mind decides in an activity of its own, whose argument and result history holds
  })
  await world.birthPuppet('puppet')
  await world.birth({ name: 'thinker', cognition: 'llm' })
})
afterAll(async () => {
  await world.close()
  await server.close()
})

const converter = join(import.meta.dirname, '../../support/aes-data-converter.ts')
const home = (env: () => NodeJS.ProcessEnv) =>
  new CliInstance(() => ({
    DATABASE_URL: database.url,
    ...inject('temporalEnv'),
    OPENAI_BASE_URL: modelServer.url,
    TREEOS_MODEL: 'test-model',
    ...env(),
  }))

/** The payloads of a history that the SDK hands to a codec, and how many it does not: search attributes and its own notes. */
function payloadsOf(history: History) {
  const given: Payload[] = []
  let clear = 0
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
    const { data, metadata } = value as Payload
    if (ArrayBuffer.isView(data) && typeof metadata === 'object') {
      if (/searchAttributes|markerRecordedEventAttributes[.]details[.]data/.test(path)) clear += 1
      else given.push(value as Payload)
    } else for (const [name, one] of Object.entries(value)) walk(one, `${path}.${name}`)
  }
  walk(history, '')
  return { given, clear }
}

async function histories(): Promise<{ workflowId: string; history: History }[]> {
  const found = []
  for (const kind of ['being', 'task', 'schedule']) {
    const query = `WorkflowId STARTS_WITH "${kind}/${world.reality.name}/"`
    for await (const { workflowId, runId } of world.temporal.workflow.list({ query }))
      found.push({
        workflowId,
        history: await world.temporal.workflow.getHandle(workflowId, runId).fetchHistory(),
      })
  }
  return found
}

const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString()

describe('with a strict codec that the host gave its worker', () => {
  it('beings live: a script, a model, an effect, a schedule, also after the key is rotated', async () => {
    await lives(1)
    keys.set('second', newAesKey())
    await lives(2)
    expect(world.errors).toEqual([])
  })

  async function lives(n: number) {
    expect(await live(world, 'echo', `hello ${n}`)).toMatchObject({ outcome: 'act' })
    expect(await live(world, 'thinker', `hello ${n}`)).toMatchObject({ outcome: 'act' })
    await play(world, 'puppet', { verb: 'do', operation: 'till:wire', target: '/', args: { euros: n } })
    await until(() => sent.includes(n))
    await doAs(world, 'set-schedule', '@puppet', { name: 'round', everySeconds: 1, content: { n } })
    const ticks = async () =>
      (await wakesOf(world, 'puppet')).filter(
        ({ id, content }) => id.startsWith('schedule/') && JSON.stringify(content).includes(`"n":${n}`),
      )
    await until(async () => (await ticks()).length > 0)
  }

  it('each payload that Temporal holds of our workflows is encrypted', async () => {
    const { description } = await world.temporal.schedule
      .getHandle(scheduleId(world.reality.name, 'puppet', 'round'))
      .describe()
      .then(({ action }) => ({ description: action }))
    expect(description).toMatchObject({ args: [{ being: 'puppet', name: 'round' }] })
    await doAs(world, 'delete-schedule', '@puppet', { name: 'round' })
    const found = await until(async () => {
      const all = await histories()
      const kinds = new Set(all.map(({ workflowId }) => workflowId.split('/')[0]))
      return kinds.has('schedule') && kinds.has('being') && all
    })
    const used = new Set<string>()
    let count = 0
    for (const { history } of found)
      for (const { metadata } of payloadsOf(history).given) {
        expect(text(metadata?.encoding)).toBe('binary/encrypted')
        used.add(text(metadata?.['encryption-key-id']))
        count += 1
      }
    expect([...used].sort()).toEqual(['first', 'second'])
    expect(count).toBeGreaterThan(40)
  })

  it('replay reads histories through it, archived ones too', async () => {
    const { dataDir } = instance
    const folder = join(dataDir, 'histories')
    const archivist = new Archivist({
      client: world.temporal,
      reality: world.reality.name,
      folder,
      keepMs: 0,
      onError: (where, error) => world.errors.push({ where, error }),
    })
    const id = beingWorkflowId(world.reality.name, 'echo')
    const handle = world.temporal.workflow.getHandle(id)
    const { runId } = await handle.describe()
    await handle.terminate('to be archived')
    const archived = join(folder, 'echo', `${runId}.json.gz`)
    await until(() => archivist.sweep().then(() => existsSync(archived)), { what: 'an archived run' })
    await archivist.prune()
    await archivist.close()
    await until(() =>
      world.temporal.workflow
        .getHandle(id, runId)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    )
    expect(await live(world, 'echo', 'after its life began anew')).toMatchObject({ outcome: 'act' })
    const replayed = await replay(world, {
      beings: null,
      from: 'both',
      archive: folder,
      replayer: await openReplayer(),
    })
    expect(replayed).toMatchObject({ identical: true, mismatches: [] })
    expect(replayed.moments).toBeGreaterThan(8)

    await changeArchived(archived)
    const tampered = await replay(world, {
      beings: ['echo'],
      from: 'temporal',
      archive: folder,
      replayer: await openReplayer(),
    })
    expect(tampered.mismatches).toContainEqual(
      expect.objectContaining({
        field: 'form',
        temporal: expect.stringMatching(/^event \d+ holds a payload that cannot be decoded: /),
      }),
    )

    const [outcome] = (await listOutcomes(world.db, 'thinker')).slice(-1)
    const at = { being: 'thinker', moment: outcome!.moment, endedAt: outcome!.sealedAt }
    expect(await locateMoment(world.temporal, world.reality.name, at)).toMatchObject({
      eventId: expect.stringMatching(/^\d+$/),
    })
  })

  /** Changes one byte of the last payload in an archived history. */
  async function changeArchived(path: string) {
    const stored = JSON.parse(gunzipSync(await readFile(path)).toString()) as Record<string, never>
    const { given } = payloadsOf(historyFromJSON(stored))
    const before = Buffer.from(given.at(-1)!.data!)
    const after = Buffer.from(before)
    after[after.length - 1] = after.at(-1)! ^ 1
    const [from, to] = [before, after].map((bytes) => bytes.toString('base64'))
    const changed = JSON.stringify(stored).replace(from!, to!)
    expect(changed).not.toBe(JSON.stringify(stored))
    await writeFile(path, gzipSync(changed))
  }

  const instance = home(() => ({ TREEOS_DATA_CONVERTER: converter, TEMPORAL_CODEC_KEYS: writeAesKeys(keys) }))
  afterAll(() => instance.remove())

  it('every command that asks Temporal works with the module in TREEOS_DATA_CONVERTER', async () => {
    await commandsWork(instance)
  })

  it('and with a codec server at TEMPORAL_CODEC_ENDPOINT, which is told namespace and credential', async () => {
    const served = home(() => ({
      TEMPORAL_CODEC_ENDPOINT: server.url,
      TEMPORAL_CODEC_AUTH: 'Bearer of-tests',
    }))
    try {
      await commandsWork(served)
      expect(new Set(server.asked.map((one) => JSON.stringify(one)))).toEqual(
        new Set([JSON.stringify({ namespace: 'default', auth: 'Bearer of-tests' })]),
      )
    } finally {
      await served.remove()
    }
  })

  async function commandsWork(at: CliInstance) {
    const { reply } = await at.json<{ reply: { content: unknown } }>([
      ...['summon', '@echo', 'by a command', '--wait', '30'],
    ])
    expect(reply.content).toBe('by a command')
    await at.json(['do', '/', 'set-space', '--args', '{"field":"a.b","value":1}'])
    await at.json(['signal', 'set', 'sky.rain', 'true'])
    const name = `born-${Math.random().toString(36).slice(2, 8)}`
    await at.json(['birth', name, '--cognition', 'scripted', '--script', 'echo'])
    const born = await at.json<{ reply: { content: unknown } }>(['summon', `@${name}`, 'hi', '--wait', '30'])
    expect(born.reply.content).toBe('hi')
    await at.json(['end', `@${name}`])
    const replayed = await at.json<{ identical: boolean; moments: number }>([
      ...['replay', '@thinker', '--from', 'both'],
    ])
    expect(replayed).toMatchObject({ identical: true })
    expect(replayed.moments).toBeGreaterThan(0)
    await at.json(['debug', '@thinker', '--at', '1'])
    const { checks } = JSON.parse((await at.run(['doctor', '--json'])).stdout) as {
      checks: { name: string; ok: boolean; found: string }[]
    }
    for (const name of ['task queue', 'temporal guard'])
      expect(checks.find((check) => check.name === name)).toMatchObject({ ok: true })
    await at.json(['status'])
  }

  it('a worker of ours lives by it, and by the codec server alone', async () => {
    await world.stopWorker()
    for (const env of [
      { TREEOS_DATA_CONVERTER: converter, TEMPORAL_CODEC_KEYS: writeAesKeys(keys) },
      { TEMPORAL_CODEC_ENDPOINT: server.url },
    ]) {
      const at = home(() => env)
      const worker = at.start(['worker'])
      try {
        const { reply } = await summon(world, {
          ...{ as: 'operator', target: 'echo', content: 'to a worker of ours', waitSeconds: 60 },
        })
        expect(reply?.content).toBe('to a worker of ours')
      } finally {
        worker.kill('SIGTERM')
        await until(() => worker.exitCode !== null || worker.signalCode !== null)
        await at.remove()
      }
    }
  })

  it('without its data converter replay says so, and with a key that is gone, which', async () => {
    const bare = home(() => ({}))
    const poor = home(() => ({
      TREEOS_DATA_CONVERTER: converter,
      TEMPORAL_CODEC_KEYS: writeAesKeys(new Map([['other', newAesKey()]])),
    }))
    try {
      const asked = ['replay', '@thinker', '--from', 'temporal']
      expect(await bare.refusal(asked)).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(
          /can be decoded: it is encoded as "binary\/encrypted"[.] Name the data converter .* TREEOS_DATA_CONVERTER/,
        ),
      })
      expect(await poor.refusal(asked)).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('can be decoded: no key first'),
      })
    } finally {
      await bare.remove()
      await poor.remove()
    }
  })
})
