import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCheckpoint } from './checkpoint.ts'
import { describeQuorum, isQuorum, parsePolicy, quorumFaults, trustedPolicy } from './policy.ts'

const LOG = 'treeos/one'
const TEXT = `${LOG}\n3\n${Buffer.alloc(32, 7).toString('base64')}\n`

/** A key of one type, with what it signs. */
function keyOf(name: string, type: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const typed = Buffer.concat([
    Buffer.of(type),
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ])
  const id = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, 4)
  const line = (bytes: Buffer, as = name) => `— ${as} ${Buffer.concat([id, bytes]).toString('base64')}\n`
  return {
    vkey: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    signs: (text: string) => line(sign(null, Buffer.from(text), privateKey)),
    /** @param shown the time that the line says */
    cosigns(text: string, at: number, shown = at) {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(shown))
      return line(
        Buffer.concat([time, sign(null, Buffer.from(`cosignature/v1\ntime ${at}\n${text}`), privateKey)]),
      )
    },
  }
}
const log = keyOf(LOG, 1)
const [a, b, c, x] = ['w/a', 'w/b', 'w/c', 'w/a'].map((name) => keyOf(name, 4)) as [Key, Key, Key, Key]
type Key = ReturnType<typeof keyOf>
const WITNESSES = `log ${log.vkey} https://log.example\nwitness a ${a.vkey}\nwitness b ${b.vkey} https://b.example/x/\nwitness c ${c.vkey}\n`
const policy = parsePolicy(`# two of three\n${WITNESSES}\tgroup  g 2 a b c \nquorum g\n`)
const note = (...lines: string[]) => `${TEXT}\n${log.signs(TEXT)}${lines.join('')}`
const found = (...lines: string[]) => readCheckpoint(note(...lines), policy)

describe('a quorum', () => {
  it('is reached by enough witnesses, whose names and times are told', () => {
    const checkpoint = found(b.cosigns(TEXT, 1_700_000_000), a.cosigns(TEXT, 1_600_000_000))
    expect(checkpoint).toMatchObject({
      signed: true,
      cosigned: [
        { by: 'a', at: 1_600_000_000 },
        { by: 'b', at: 1_700_000_000 },
      ],
    })
    expect(quorumFaults(checkpoint, policy)).toEqual([])
  })

  it.each<[string, string[], string[]]>([
    ['by nobody', [], []],
    ['by too few', [a.cosigns(TEXT, 9)], ['a']],
    ['by one of them twice', [a.cosigns(TEXT, 9), a.cosigns(TEXT, 10)], ['a']],
    ['by one of them and another key with the name of one', [b.cosigns(TEXT, 9), x.cosigns(TEXT, 9)], ['b']],
    ['by the log, as if it were a witness', [log.cosigns(TEXT, 9)], []],
  ])('is not reached %s', (_, lines, by) => {
    const checkpoint = found(...lines)
    expect(checkpoint.cosigned.map((one) => one.by)).toEqual(by)
    expect(quorumFaults(checkpoint, policy)).toEqual([expect.stringContaining('asks for 2 of (a, b, c)')])
    // control
    expect(quorumFaults(found(...lines, b.cosigns(TEXT, 8), c.cosigns(TEXT, 8)), policy)).toEqual([])
  })

  it.each<[string, string, RegExp]>([
    ['over another checkpoint', a.cosigns(TEXT.replace('\n3\n', '\n4\n'), 9), /a is not one of it/],
    ['of another origin', a.cosigns(TEXT.replace('one', 'two'), 9), /a is not one of it/],
    ['with a later time than was signed', a.cosigns(TEXT, 9, 1_900_000_000), /a is not one of it/],
    ['without a time', a.cosigns(TEXT, 0), /names no time/],
    ['over the note alone', a.signs(TEXT), /names no time/],
  ])('with a cosignature %s is an error, since a witness never signed it', (_, line, fault) => {
    expect(() => found(line, b.cosigns(TEXT, 9), c.cosigns(TEXT, 9))).toThrow(fault)
  })

  it('of groups of groups is reached as the groups say', () => {
    const nested = parsePolicy(`${WITNESSES}group x any a b\ngroup y all x c\nquorum y\n`).quorum
    const by = (names: string) => [...names].map((name) => ({ by: name, at: 1 }))
    expect(describeQuorum(nested!)).toBe('2 of (1 of (a, b), c)')
    expect(['ac', 'bc', 'abc', 'ab', 'c', ''].map((names) => isQuorum(nested, by(names)))).toEqual([
      ...[true, true, true, false, false, false],
    ])
  })
})

describe('a policy', () => {
  it('says whose key it is, and the key that is given counts in its place', () => {
    expect(policy).toMatchObject({
      witnesses: [{ url: null }, { url: 'https://b.example/x' }, { url: null }],
    })
    expect(trustedPolicy({ policy })).toBe(policy)
    expect(trustedPolicy({})).toBeNull()
    const other = parsePolicy(`log ${keyOf(LOG, 1).vkey}\nquorum none\n`)
    expect(() => readCheckpoint(note(), other)).toThrow('did not sign')
    expect(readCheckpoint(note(), trustedPolicy({ policy: other, key: policy.logs[0] })).signed).toBe(true)
    const open = parsePolicy('quorum none\n')
    expect(() => trustedPolicy({ policy: open })).toThrow('names no log')
    expect(trustedPolicy({ policy: open, key: policy.logs[0] })?.logs).toHaveLength(1)
  })

  it.each<[string, RegExp]>([
    ['', /no line quorum/],
    ['quorum a\n', /line 1 .*no line before it defines a/],
    [`${WITNESSES}quorum a\nquorum b\n`, /line 6 .*one line quorum/],
    [`${WITNESSES}group g 4 a b c\nquorum g\n`, /line 5 .*reads group/],
    [`${WITNESSES}group g 0 a b c\nquorum g\n`, /reads group/],
    [`${WITNESSES}group g any\nquorum g\n`, /reads group/],
    [`${WITNESSES}group g any none\nquorum g\n`, /no line before it defines none/],
    [`${WITNESSES}group g any a a\nquorum g\n`, /a is in a group already/],
    [`${WITNESSES}group g any a\ngroup h any a\nquorum g\n`, /a is in a group already/],
    [`${WITNESSES}group a any b\nquorum a\n`, /the name a is taken/],
    [`${WITNESSES}witness none ${x.vkey}\nquorum a\n`, /the name none is taken/],
    [`${WITNESSES}witness d ${a.vkey}\nquorum a\n`, /its key is there twice/],
    [`${WITNESSES}log ${log.vkey}\nquorum a\n`, /its key is there twice/],
    [`witness a ${log.vkey}\nquorum a\n`, /no ed25519 key of a witness/],
    [`log ${a.vkey}\nquorum none\n`, /no key of a signed note/],
    [`witness a ${a.vkey} ftp://x\nquorum a\n`, /begins with http/],
    [`witness a ${a.vkey} https://x more\nquorum a\n`, /reads witness/],
    ['hello\nquorum none\n', /there are log, witness, group and quorum/],
  ])('that is wrong is refused: %j', (text, fault) => {
    expect(() => parsePolicy(text)).toThrow(fault)
  })
})
