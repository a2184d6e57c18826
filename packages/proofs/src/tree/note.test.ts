import { describe, expect, it } from 'vitest'
import { checkpointText, openCheckpoint } from './checkpoint.ts'
import { EMPTY_ROOT } from './hash.ts'
import { newSignerKey, readNote, readSigner, readVerifier, signNote, verifierKeyOf } from './note.ts'

const ORIGIN = 'treeos/one'
const signer = readSigner(newSignerKey(ORIGIN))
const other = readSigner(newSignerKey(ORIGIN))
const head = { size: 0, root: EMPTY_ROOT }
const text = checkpointText(ORIGIN, head)
const note = signNote(text, [signer])

describe('a checkpoint', () => {
  it('is read with the key of any of its signers', () => {
    const both = signNote(text, [other, signer])
    for (const keys of [[signer], [other], [signer, other]])
      expect(openCheckpoint(both, ORIGIN, keys)).toEqual({ origin: ORIGIN, ...head, note: both })
  })

  const root = EMPTY_ROOT.toString('base64')
  it.each<[string, string, RegExp]>([
    [
      'of another log',
      signNote(checkpointText('treeos/two', head), [signer]),
      /it is of the log "treeos\/two"/,
    ],
    ['signed by another key', signNote(text, [other]), /no key that is known here signed it/],
    ['with a changed size', note.replace('\n0\n', '\n1\n'), /the signature of .* is wrong/],
    ['with a wrong second signature', `${note}${signNote('x\n', [signer]).split('\n')[2]}\n`, /is wrong/],
    ['with a size of another form', signNote(`${ORIGIN}\n00\n${root}\n`, [signer]), /not a checkpoint/],
    ['with a negative size', signNote(`${ORIGIN}\n-1\n${root}\n`, [signer]), /not a checkpoint/],
    ['with one line more', signNote(`${text}more\n`, [signer]), /not a checkpoint/],
    ['with a short root', signNote(`${ORIGIN}\n0\nAAAA\n`, [signer]), /its root is not a SHA-256/],
    ['without signatures', text, /not a signed note/],
    ['cut short', note.slice(0, -1), /not a signed note/],
    ['with a line that is not a signature', `${note}nothing\n`, /a line of the note is not a signature/],
  ])('%s is refused', (_, wrong, fault) => {
    expect(() => openCheckpoint(wrong, ORIGIN, [signer])).toThrow(fault)
  })
})

describe('a key', () => {
  it('is read from what it writes', () => {
    const read = readVerifier(verifierKeyOf(signer))
    expect(verifierKeyOf(read)).toBe(verifierKeyOf(signer))
    expect(readNote(note).signatures[0]).toMatchObject({ name: ORIGIN, id: read.id })
  })

  it.each(['', 'x', 'a+00000000+AQ==', verifierKeyOf(signer).replace('one', 'two')])(
    'is refused when it is malformed: %j',
    (wrong) => expect(() => readVerifier(wrong)).toThrow(/is not a verifier key/),
  )

  it('that is secret is not quoted when it is refused', () => {
    const secret = newSignerKey(ORIGIN).replace('one', 'two')
    expect(() => readSigner(secret)).toThrow(/^a key of a signer reads PRIVATE\+KEY\+<name>\+<id>\+<base64>$/)
  })
})
