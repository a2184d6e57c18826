import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkpointText, openCheckpoint, type TreeHead } from '../tree/checkpoint.ts'
import { nodeHash } from '../tree/hash.ts'
import { type NoteSigner, newSignerKey, readSigner, signNote } from '../tree/note.ts'
import { type NodeReader, proveConsistency, rootOf } from '../tree/proofs.ts'
import { appendCheckpoint, findNewest, readCheckpointFiles, readKeys } from './checkpoint-files.ts'
import { findLastSigned, Signer, type SignerPlace } from './signer.ts'

const ORIGIN = 'treeos/test'
let home: string
let place: SignerPlace
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'treeos-signer-'))
  place = placeIn('one')
})
afterEach(() => rmSync(home, { recursive: true }))

function placeIn(name: string, of: Partial<SignerPlace> = {}): SignerPlace {
  const own = join(home, name)
  return {
    origin: ORIGIN,
    keyFile: join(own, 'key'),
    lastFile: join(own, 'last.json'),
    folder: join(own, 'checkpoints'),
    ...of,
  }
}

/** A log of any length. @param changed the entry from which on it differs from the true one */
function logOf(changed = Number.POSITIVE_INFINITY) {
  const known = new Map<string, Buffer>()
  const node: NodeReader = (level, index) => {
    const key = `${level}/${index}`
    const made =
      known.get(key) ??
      (level === 0
        ? createHash('sha256')
            .update(`${index}${index < changed ? '' : ' forged'}`)
            .digest()
        : nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1)))
    known.set(key, made)
    return made
  }
  return {
    head: (size: number): TreeHead => ({ size, root: rootOf(size, node) }),
    proof: (from: number, to: number) => (from > to ? [] : proveConsistency(from, to, node)),
  }
}
const log = logOf()

/** Signs the true log up to these sizes. */
function signUpTo(signer: Signer, ...sizes: number[]): void {
  for (const size of sizes) signer.sign(log.head(size), log.proof(signer.last?.size ?? 0, size))
}

const bookOf = (at: SignerPlace) => readCheckpointFiles(at.folder, ORIGIN, readKeys(at.folder))

describe('a signer', () => {
  it('signs a log that grows, and each of its checkpoints once', () => {
    const signer = new Signer(place)
    expect(signer.sign(log.head(3), [])).toMatchObject({ status: 'signed', size: 3 })
    expect(signer.sign(log.head(3), [])).toEqual({ status: 'same', size: 3 })
    expect(signer.sign(log.head(70_000), log.proof(3, 70_000))).toMatchObject({ status: 'signed' })
    expect(readdirSync(place.folder).sort()).toEqual([
      '0000000000000000.notes',
      '0000000000065536.notes',
      'keys',
    ])
    expect(bookOf(place)).toMatchObject({ checkpoints: [log.head(3), log.head(70_000)], faults: [] })
    expect(findNewest(place.folder, ORIGIN, readKeys(place.folder))).toMatchObject(log.head(70_000))
  })

  it.each([
    ['its own file', (at: SignerPlace) => rmSync(at.folder, { recursive: true })],
    ['the checkpoints, when that file is lost', (at: SignerPlace) => rmSync(at.lastFile)],
  ])('remembers what it signed last by %s', (_, lose) => {
    signUpTo(new Signer(place), 5, 9)
    lose(place)
    const again = new Signer(place)
    expect(again.last).toMatchObject(log.head(9))
    expect(again.sign(log.head(8), log.proof(8, 9))).toMatchObject({ status: 'refused', why: 'smaller' })
    expect(again.sign(log.head(12), log.proof(9, 12))).toMatchObject({ status: 'signed' })
  })

  it('says what it refused until the log is again what it was', () => {
    const signer = new Signer(place)
    signUpTo(signer, 9)
    signer.sign(logOf(4).head(11), logOf(4).proof(9, 11))
    expect(findLastSigned(place.lastFile)).toMatchObject({
      size: 9,
      refused: { why: 'inconsistent', size: 11 },
    })
    signer.sign(log.head(9), [])
    expect(findLastSigned(place.lastFile)).toMatchObject({ size: 9, refused: null })
  })

  it('with two keys signs by both, so that a new key is vouched for by the old one', () => {
    signUpTo(new Signer(place), 2)
    const old = readKeys(place.folder)
    writeFileSync(place.keyFile, `${newSignerKey(ORIGIN)}\n`, { flag: 'a' })
    signUpTo(new Signer(place), 3)
    const both = readKeys(place.folder)
    expect(both).toHaveLength(2)
    for (const key of both) expect(findNewest(place.folder, ORIGIN, [key])).toMatchObject(log.head(3))
    expect(readCheckpointFiles(place.folder, ORIGIN, old).checkpoints).toHaveLength(2)
  })

  it('uses no key that others may read, or that is of another log', () => {
    signUpTo(new Signer(place), 2)
    expect(statSync(place.keyFile).mode & 0o777).toBe(0o600)
    chmodSync(place.keyFile, 0o640)
    expect(() => new Signer(place)).toThrow(/others may read it: chmod 600/)
    chmodSync(place.keyFile, 0o600)
    expect(() => new Signer({ ...place, origin: 'treeos/other' })).toThrow(/holds a key of treeos\/test/)
  })

  it('goes on behind a note that a crash cut off', () => {
    signUpTo(new Signer(place), 2)
    const book = join(place.folder, '0000000000000000.notes')
    const whole = readFileSync(book, 'utf8')
    for (const length of [whole.length - 1, whole.length - 40, 20]) {
      writeFileSync(book, `${whole}${whole.slice(0, length)}`)
      appendCheckpoint(place.folder, 3, signNote(checkpointText(ORIGIN, log.head(3)), [keyOf(place)]))
      expect(bookOf(place).checkpoints.at(-1), `${length}`).toMatchObject(log.head(3))
      expect(bookOf(place).checkpoints.at(0), `${length}`).toMatchObject(log.head(2))
    }
  })
})

const keyOf = (at: SignerPlace): NoteSigner => readSigner(readFileSync(at.keyFile, 'utf8').trim())

/** The check of each day has minutes. */
const CASES = process.env.TREEOS_NIGHTLY === '1' ? 400 : 100
/** As many numbers from 0 to 1 as are asked for, always the same. */
function seeded(seed: string) {
  let count = 0
  return (below: number): number => {
    const hash = createHash('sha256').update(`${seed} ${count++}`).digest()
    return hash.readUInt32BE(0) % below
  }
}

/** Without the guard, whoever has the key signs anything: only the judgement of the signer refuses. */
const unguarded = (head: TreeHead) =>
  openCheckpoint(signNote(checkpointText(ORIGIN, head), [keyOf(place)]), ORIGIN, [keyOf(place)])

describe(`of ${5 * CASES} cases none is signed or taken`, () => {
  it(`wrong key: ${CASES} checkpoints that another key signed, or whose note was changed`, () => {
    const random = seeded('key')
    signUpTo(new Signer(place), 1)
    const stranger = readSigner(newSignerKey(ORIGIN))
    for (let i = 0; i < CASES; i++) {
      const head = log.head(1 + random(300))
      const own = signNote(checkpointText(ORIGIN, head), [keyOf(place)])
      const wrong = i % 2 === 0 ? signNote(checkpointText(ORIGIN, head), [stranger]) : bitFlipped(own, random)
      expect(() => openCheckpoint(wrong, ORIGIN, [keyOf(place)]), wrong).toThrow()
      // control: the same note is taken by whoever has that key, or was not changed
      if (i % 2 === 0) expect(openCheckpoint(wrong, ORIGIN, [stranger])).toMatchObject(head)
      else expect(openCheckpoint(own, ORIGIN, [keyOf(place)])).toMatchObject(head)
    }
  })

  it(`rolled back: ${CASES} logs that are smaller than what was signed`, () => {
    const random = seeded('size')
    const signer = new Signer(place)
    signUpTo(signer, 300)
    for (let i = 0; i < CASES; i++) {
      const head = log.head(random(300))
      expect(signer.sign(head, log.proof(head.size, 300))).toMatchObject({
        status: 'refused',
        why: 'smaller',
      })
      expect(unguarded(head)).toMatchObject(head)
    }
    expect(bookOf(place).checkpoints).toHaveLength(1)
  })

  it(`inconsistent: ${CASES} logs with another root, each with the best proof that there is`, () => {
    const random = seeded('root')
    const signer = new Signer(place)
    signUpTo(signer, 200)
    for (let i = 0; i < CASES; i++) {
      const forged = logOf(random(200))
      const head = forged.head(200 + (i % 4 === 0 ? 0 : 1 + random(100)))
      const proof = i % 2 === 0 ? forged.proof(200, head.size) : log.proof(200, head.size)
      expect(signer.sign(head, proof)).toMatchObject({
        status: 'refused',
        why: head.size === 200 ? 'fork' : 'inconsistent',
      })
      expect(unguarded(head)).toMatchObject(head)
    }
    expect(bookOf(place).checkpoints).toHaveLength(1)
  })

  it(`replayed: ${CASES} checkpoints that were signed once, of this log or of another`, () => {
    const random = seeded('again')
    const signer = new Signer(place)
    signUpTo(signer, ...Array.from({ length: 20 }, (_, i) => 10 * (i + 1)))
    const before = readFileSync(join(place.folder, '0000000000000000.notes'), 'utf8')
    for (let i = 0; i < CASES; i++) {
      const head = log.head(10 * (1 + random(20)))
      const isNewest = head.size === 200
      const again = signer.sign(head, [])
      expect(again.status).toBe(isNewest ? 'same' : 'refused')
      const other = signNote(checkpointText('treeos/other', head), [keyOf(place)])
      expect(() => openCheckpoint(other, ORIGIN, [keyOf(place)])).toThrow(/of the log "treeos\/other"/)
      expect(openCheckpoint(other, 'treeos/other', [keyOf(place)])).toMatchObject(head) // control
    }
    expect(readFileSync(join(place.folder, '0000000000000000.notes'), 'utf8')).toBe(before)
  })

  it(`two signers: ${CASES} checkpoints of a second one with the same key, that was shown another log`, () => {
    const random = seeded('two')
    const signer = new Signer(place)
    signUpTo(signer, 150)
    for (let i = 0; i < CASES; i++) {
      const forged = logOf(random(150))
      const size = 150 + random(100)
      // Its note opens with the key of both: only what the first one remembers tells them apart.
      const head = unguarded(forged.head(size))
      expect(signer.sign(head, forged.proof(150, size))).toMatchObject({
        status: 'refused',
        why: size === 150 ? 'fork' : 'inconsistent',
      })
    }
    expect(bookOf(place).checkpoints).toHaveLength(1)
  })
})

/** One bit of the signature, or of a digit of the root, is another. */
function bitFlipped(note: string, random: (below: number) => number): string {
  const [text = '', signature = ''] = note.split('\n\n')
  const lines = text.split('\n')
  if (random(2) === 0) {
    const root = Buffer.from(lines[2] ?? '', 'base64')
    root[random(root.length)]! ^= 1 << random(8)
    return `${lines[0]}\n${lines[1]}\n${root.toString('base64')}\n\n${signature}`
  }
  const at = signature.lastIndexOf(' ') + 1
  const bytes = Buffer.from(signature.slice(at).trimEnd(), 'base64')
  bytes[4 + random(bytes.length - 4)]! ^= 1 << random(8)
  return `${text}\n\n${signature.slice(0, at)}${bytes.toString('base64')}\n`
}
