import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePolicy, readCheckpoint } from '@treeos/verify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkpointText } from '../tree/checkpoint.ts'
import { nodeHash } from '../tree/hash.ts'
import { newSignerKey, readSigner, signNote, verifierKeyOf } from '../tree/note.ts'
import { type NodeReader, proveConsistency, rootOf } from '../tree/proofs.ts'
import { findCosigned, findNewest, readCheckpointFiles } from './checkpoint-files.ts'
import { cosignRepeatedly, failWitnessing, findWitnessing, WitnessClient } from './witness-client.ts'

// By its place: it uses this package too.
const { cosign, newCosigner, textOf, vkeyOf, WitnessServer } = (await import(
  new URL('../../../../test/support/witness-server.ts', import.meta.url).href
)) as typeof import('../../../../test/support/witness-server.ts')
type WitnessServer = InstanceType<typeof WitnessServer>

const ORIGIN = 'treeos/test'
const signer = readSigner(newSignerKey(ORIGIN))
const stranger = readSigner(newSignerKey(ORIGIN))
const never = new AbortController().signal
let home: string
let witnesses: WitnessServer[]
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'treeos-cosigning-'))
  witnesses = await Promise.all(
    ['a', 'b', 'c'].map((name) => WitnessServer.start(`w.example/${name}`, ORIGIN, [verifierKeyOf(signer)])),
  )
})
afterEach(async () => {
  await Promise.all(witnesses.map((witness) => witness.close()))
  rmSync(home, { recursive: true })
})

/** A log of any length. @param changed the entry from which on it differs from the true one */
function logOf(changed = Number.POSITIVE_INFINITY) {
  const node: NodeReader = (level, index) =>
    level === 0
      ? createHash('sha256')
          .update(`${index}${index < changed ? '' : ' forged'}`)
          .digest()
      : nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))
  return {
    pending: (size: number, by = signer) => ({
      size,
      note: signNote(checkpointText(ORIGIN, { size, root: rootOf(size, node) }), [by]),
    }),
    prove: async (from: number, to: number) => proveConsistency(from, to, node),
  }
}
const log = logOf()

const policyOf = (quorum = '2') =>
  `log ${verifierKeyOf(signer)}\n${witnesses.map((one, i) => one.policyLine('abc'[i] ?? '')).join('')}group g ${quorum} a b c\nquorum g\n`
const place = () => ({ file: join(home, 'witnesses.json'), folder: home })
const ask = (cosigning: WitnessClient, size: number, of = log) =>
  cosigning.ask(of.pending(size), of.prove, never)
const cosigned = () => readCheckpointFiles(home, ORIGIN, [signer], 'cosigned').checkpoints
const signersOf = (note: string) => readCheckpoint(note, parsePolicy(policyOf())).cosigned.map(({ by }) => by)
const states = () => findWitnessing(place().file)?.witnesses ?? []
const faults = () => states().map(({ fault }) => fault?.why ?? null)

describe('witnesses', () => {
  it('cosign a log that grows, and the notes with all their signatures are kept', async () => {
    const cosigning = new WitnessClient(policyOf(), place())
    for (const size of [3, 8, 21]) await ask(cosigning, size)
    expect(cosigned().map(({ size }) => size)).toEqual([3, 8, 21])
    for (const { note } of cosigned()) expect(signersOf(note)).toEqual(['a', 'b', 'c'])
    expect(findWitnessing(place().file)).toMatchObject({
      asked: { size: 21 },
      reached: { size: 21 },
      witnesses: ['a', 'b', 'c'].map((name) => ({ name, size: 21, fault: null })),
    })
    expect(witnesses.map(({ answered }) => answered)).toEqual(Array(3).fill([200, 200, 200]))
    // Neither the notes of the signer nor their order are touched.
    expect(readdirSync(home).filter((name) => name.endsWith('.notes'))).toEqual([])
    expect(findNewest(home, ORIGIN, [signer])).toBeNull()
    expect(findCosigned(home, ORIGIN, [signer])).toMatchObject({ size: 21 })
  })

  it('are not asked again for what they cosigned', async () => {
    const cosigning = new WitnessClient(policyOf(), place())
    for (const size of [5, 5, 5]) await ask(cosigning, size)
    await ask(new WitnessClient(policyOf(), place()), 5)
    expect(witnesses[0]?.answered).toEqual([200])
  })

  it('that know another size than the signer remembers tell it, and get a proof from there', async () => {
    await ask(new WitnessClient(policyOf(), place()), 13)
    rmSync(place().file)
    await ask(new WitnessClient(policyOf(), place()), 20)
    expect(witnesses[0]?.answered).toEqual([200, 409, 200])
    expect(states()).toMatchObject([{ size: 20 }, { size: 20 }, { size: 20 }])
  })

  it('that are away stop nothing: the others cosign, and when they are back they go on', async () => {
    const cosigning = new WitnessClient(policyOf(), place())
    await ask(cosigning, 3)
    const { port } = witnesses[2]!
    await witnesses[2]?.close()
    await ask(cosigning, 9)
    expect(faults()).toEqual([null, null, 'away'])
    expect(findWitnessing(place().file)?.reached).toMatchObject({ size: 9 })
    await witnesses[2]?.listen(port)
    await ask(cosigning, 12)
    expect(faults()).toEqual([null, null, null])
    expect(signersOf(cosigned().at(-1)!.note)).toEqual(['a', 'b', 'c'])
  })

  it('below the quorum cosign, and the quorum is not reached', async () => {
    for (const one of witnesses.slice(1)) one.instead = (_, response) => void response.writeHead(503).end()
    await ask(new WitnessClient(policyOf(), place()), 3)
    expect(findWitnessing(place().file)).toMatchObject({ asked: { size: 3 }, reached: null })
    expect(faults()).toEqual([null, 'away', 'away'])
    const isEnough = (note: string) => signersOf(note).length >= 2
    expect(findCosigned(home, ORIGIN, [signer], isEnough)).toBeNull()
    expect(findCosigned(home, ORIGIN, [signer])).toMatchObject({ size: 3 })
  })

  it('one round after another, until it is stopped; an error of a round is told, and the next one goes on', async () => {
    const stopping = new AbortController()
    const told: string[] = []
    let size = 2
    await cosignRepeatedly(new WitnessClient(policyOf(), place()), {
      seconds: 0.001,
      signal: stopping.signal,
      newest: () => log.pending(size),
      prove: (from, to) =>
        told.length === 0 ? Promise.reject(new Error('no Postgres')) : log.prove(from, to),
      onRound() {
        if (size === 6) stopping.abort()
        size += 2
      },
      onError: (error) => void told.push(String(error)),
    })
    expect(told).toEqual(['Error: no Postgres'])
    expect(cosigned().map((one) => one.size)).toEqual([2, 4, 6])
  })
})

describe('a signer that forks', () => {
  it('is refused by each witness, though it has the key and no memory; the true log is not', async () => {
    await ask(new WitnessClient(policyOf(), place()), 9)
    rmSync(place().file)
    const fork = logOf(4)
    const forked = new WitnessClient(policyOf(), place())
    await ask(forked, 12, fork)
    expect(faults()).toEqual(['inconsistent', 'inconsistent', 'inconsistent'])
    expect(cosigned().map(({ size }) => size)).toEqual([9])
    await ask(forked, 9, fork) // as many entries, with another root
    expect(faults()).toEqual(['inconsistent', 'inconsistent', 'inconsistent'])
    await ask(forked, 7, fork)
    expect(faults()).toEqual(['ahead', 'ahead', 'ahead'])
    await ask(forked, 12) // control
    expect(faults()).toEqual([null, null, null])
  })

  it('is taken by a witness that saw nothing of the log (control)', async () => {
    await ask(new WitnessClient(policyOf(), place()), 12, logOf(4))
    expect(faults()).toEqual([null, null, null])
  })

  it('with another key is refused', async () => {
    await new WitnessClient(policyOf(), place()).ask(log.pending(3, stranger), log.prove, never)
    expect(faults()).toEqual(['untrusted', 'untrusted', 'untrusted'])
  })
})

const answer =
  (text: string, status = 200) =>
  (_: string, response: ServerResponse) =>
    void response.writeHead(status).end(text)
const now = () => Math.floor(Date.now() / 1000)

describe('an answer', () => {
  it.each<[string, string, (one: WitnessServer) => WitnessServer['instead']]>([
    ['that is not one', 'malformed', () => answer('hello\n')],
    ['without a line', 'malformed', () => answer('')],
    [
      'by another key',
      'malformed',
      () => (note, response) => void response.end(cosign(newCosigner('w.example/a'), textOf(note))),
    ],
    [
      'over another checkpoint',
      'malformed',
      (one) => (_, response) => void response.end(cosign(one.cosigner, textOf(log.pending(2).note))),
    ],
    [
      'of another origin',
      'malformed',
      (one) => (note, response) =>
        void response.end(cosign(one.cosigner, textOf(note).replace(ORIGIN, 'treeos/two'))),
    ],
    [
      'with a changed time',
      'malformed',
      (one) => (note, response) => void response.end(retimed(cosign(one.cosigner, textOf(note)))),
    ],
    [
      'of long ago',
      'clock',
      (one) => (note, response) => void response.end(cosign(one.cosigner, textOf(note), now() - 7200)),
    ],
    [
      'of times to come',
      'clock',
      (one) => (note, response) => void response.end(cosign(one.cosigner, textOf(note), now() + 7200)),
    ],
    ['409 without a size', 'malformed', () => answer('many\n', 409)],
    ['409 with more than there is', 'ahead', () => answer('1000\n', 409)],
    ['409 over and over', 'away', () => answer('1\n', 409)],
    ['403', 'untrusted', () => answer('', 403)],
    ['404', 'unknown-log', () => answer('', 404)],
    ['422', 'inconsistent', () => answer('', 422)],
    ['400', 'malformed', () => answer('', 400)],
    ['429', 'away', () => answer('', 429)],
    ['that does not end', 'away', () => answer('x'.repeat(100_000))],
    [
      'that sends us elsewhere',
      'away',
      () => (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    ],
  ])('%s is not a cosignature', async (_, why, instead) => {
    const cosigning = new WitnessClient(policyOf('1'), place())
    witnesses[0]!.instead = instead(witnesses[0]!)
    await ask(cosigning, 3)
    expect(faults()).toEqual([why, null, null])
    expect(signersOf(cosigned().at(-1)!.note)).toEqual(['b', 'c'])
    witnesses[0]!.instead = null // control
    await ask(cosigning, 3)
    expect(faults()).toEqual([null, null, null])
    expect(signersOf(cosigned().at(-1)!.note)).toEqual(['a', 'b', 'c'])
  })

  it('brings the signature of its witness, and no line of others', async () => {
    witnesses[0]!.instead = (note, response) => {
      const own = cosign(witnesses[0]!.cosigner, textOf(note))
      response.end(`${cosign(newCosigner('w.example/x'), textOf(note))}${own}`)
    }
    await ask(new WitnessClient(policyOf('1'), place()), 3)
    expect(cosigned()[0]?.note).not.toContain('w.example/x')
    expect(signersOf(cosigned()[0]!.note)).toEqual(['a', 'b', 'c'])
  })
})

/** The same line with a time one second later. */
function retimed(line: string): string {
  const [dash, name, encoded = ''] = line.trimEnd().split(' ')
  const bytes = Buffer.from(encoded, 'base64')
  bytes[11]! ^= 1
  return `${dash} ${name} ${bytes.toString('base64')}\n`
}

it('a policy without a place for a witness cannot be used to ask, and why is kept', () => {
  const policy = `witness a ${vkeyOf(newCosigner('a'))}\nquorum a\n`
  expect(() => new WitnessClient(policy, place())).toThrow('the policy gives no URL for the witness a')
  failWitnessing(place().file, 'x')
  expect(findWitnessing(place().file)).toMatchObject({ failed: 'x', witnesses: [] })
})
