import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, Connection } from '@temporalio/client'
import { beforeAll, expect, it, vi } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { openServers } from '../../test/open-server.ts'
import { buildTemporal } from './build.ts'
import { defaultCacheDir } from './temporal.ts'

const folder = temporaryFolders()
let path: string
beforeAll(async () => {
  const cacheDir = defaultCacheDir(bareEnv)
  ;({ path } = await buildTemporal({
    env: bareEnv,
    path: bareEnv.PATH ?? '',
    cacheDir,
    onProgress: () => {},
  }))
}, 900_000)

const DICTIONARY = join(import.meta.dirname, '../../temporal/history_dictionary.go')

/** A small signal, one that repeats itself, and one that cannot be packed. */
const SIGNALS = [
  'hello',
  'again '.repeat(50_000),
  Array.from({ length: 2_000 }, (_, i) => createHash('sha512').update(String(i)).digest('base64')).join(''),
]

const start = openServers()

/**
 * Runs our server on a file while it is used, and stops it.
 * @param use gets a client, and the lines that the server has printed so far
 */
async function onServer<T>(
  file: string,
  isPacking: boolean,
  use: (client: Client, printed: readonly string[]) => Promise<T>,
): Promise<T> {
  const server = await start(path, ['--headless', '--db', file, `--pack-history=${isPacking}`])
  try {
    const { address } = server
    // Without interceptors no call is repeated. The connection may take a minute, since others use this machine, too.
    const connection = await Connection.connect({ address, interceptors: [], connectTimeout: '60s' })
    try {
      return await use(new Client({ connection }), server.printed)
    } finally {
      await connection.close()
    }
  } finally {
    await server.stop()
  }
}

/** A workflow that no worker runs, so its history is what this writes. */
async function write(client: Client, workflowId: string): Promise<void> {
  // A server that has just started may not know the namespace yet.
  const handle = await vi.waitFor(
    () => client.workflow.start('unknown', { taskQueue: 'nobody', workflowId, args: [] }),
    {
      timeout: 10_000,
      interval: 200,
    },
  )
  for (const said of SIGNALS) await handle.signal('said', said)
}

async function read(client: Client, workflowId: string): Promise<unknown[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
    signal == null
      ? []
      : [JSON.parse(Buffer.from(signal.input?.payloads?.[0]?.data ?? new Uint8Array()).toString())],
  )
}

/** How the rows of a file are stored, and in how many bytes, in the order in which they were written. */
function rowsIn(file: string): { encoding: string; bytes: number }[] {
  const db = new DatabaseSync(file)
  try {
    const rows = db.prepare(
      'select data_encoding as encoding, length(data) as bytes from history_node order by rowid',
    )
    return rows.all().map(({ encoding, bytes }) => ({ encoding: String(encoding), bytes: Number(bytes) }))
  } finally {
    db.close()
  }
}

it('histories are stored packed, and those of a server that did not pack are read beside them', async () => {
  const file = join(folder(), 'server.db')
  await onServer(file, false, (client) => write(client, 'plain'))
  const plain = rowsIn(file)
  expect(new Set(plain.map(({ encoding }) => encoding))).toEqual(new Set(['Proto3']))

  await onServer(file, true, async (client) => {
    expect(await read(client, 'plain')).toEqual(SIGNALS)
    await write(client, 'packed')
    expect(await read(client, 'packed')).toEqual(SIGNALS)
  })
  const packed = rowsIn(file).slice(plain.length)
  expect(packed.map(({ encoding }) => encoding)).toContain('zstd1/Proto3')
  const sum = (rows: typeof plain) => rows.reduce((bytes, row) => bytes + row.bytes, 0)
  expect(sum(packed)).toBeLessThan(sum(plain) - 290_000) // the signal that repeats itself
  const [begin, beginPacked] = [plain[0]?.bytes ?? 0, packed[0]?.bytes ?? 0] // nothing in it repeats: it is the dictionary
  expect(beginPacked).toBeLessThan(0.9 * begin)

  for (const isPacking of [true, false])
    await onServer(file, isPacking, async (client) => {
      for (const workflowId of ['plain', 'packed'])
        expect(await read(client, workflowId), workflowId).toEqual(SIGNALS)
    })
}, 120_000)

it('a packed row that was damaged is an error, and no other history', async () => {
  const file = join(folder(), 'server.db')
  await onServer(file, true, (client) => write(client, 'damaged'))
  const db = new DatabaseSync(file)
  const { rowid, data } = db
    .prepare(
      `select rowid, data from history_node where data_encoding = 'zstd1/Proto3' order by length(data) limit 1`,
    )
    .get() as { rowid: number; data: Uint8Array }
  const last = data.length - 5 // the last byte before the checksum
  data[last] = (data[last] ?? 0) ^ 1
  db.prepare('update history_node set data = ? where rowid = ?').run(data, rowid)
  db.close()
  await onServer(file, true, async (client, printed) => {
    await expect(read(client, 'damaged')).rejects.toThrow('2 UNKNOWN: something went wrong')
    const cause = () => printed.some((line) => /history node \d+ of branch \S+ cannot be unpacked/.test(line))
    await vi.waitUntil(cause)
  })
}, 120_000)

it('the dictionary stays as it is, since databases need it to be read', () => {
  const strings = readFileSync(DICTIONARY, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('\t"'))
  expect(createHash('sha256').update(strings.join('\n')).digest('hex')).toBe(
    '64ff92f3fa8c02bc778384ea36da3d318216a253c2c52fb151b6c125e0439b06',
  )
})
