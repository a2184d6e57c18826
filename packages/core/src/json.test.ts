import { describe, expect, it } from 'vitest'
import { canonicalJson, guardJson, type Json, NotPlainJsonError, readPath, utf8Length } from './json.ts'

const faultOf = (run: () => unknown): Pick<NotPlainJsonError, 'path' | 'reason'> => {
  try {
    run()
  } catch (error) {
    if (error instanceof NotPlainJsonError) return { path: error.path, reason: error.reason }
    throw error
  }
  throw new Error('it was taken')
}

describe('canonicalJson, by RFC 8785', () => {
  it('writes the sample of section 3.2.2', () => {
    const input = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]}`)
    expect(canonicalJson(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts keys by UTF-16 code unit, as in section 3.2.3', () => {
    const sorted = ['\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33']
    const object = Object.fromEntries([...sorted].reverse().map((key) => [key, 0]))
    expect(Object.keys(JSON.parse(canonicalJson(object)))).toEqual([
      '1',
      ...sorted.filter((key) => key !== '1'),
    ])
    expect(canonicalJson(object)).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`)
  })

  it.each([
    ['0000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s of appendix B as %s', (hex, text) => {
    expect(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE())).toBe(text)
  })

  it('escapes what must be escaped and nothing else', () => {
    const text = '\b\t\n\f\r"\\\u0000\u001f\u007f/\u2028é€😀'
    expect(canonicalJson(text)).toBe(`"\\b\\t\\n\\f\\r\\"\\\\\\u0000\\u001f\u007f/\u2028é€😀"`)
  })

  it('accepts an own key with the name of a prototype, since it is data', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"A":1}'))).toBe('{"A":1,"__proto__":{"a":1}}')
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}')
  })
})

class Named {
  name = 'x'
}
const holes: unknown[] = [1, 2, 3]
delete holes[1]
const nested = (depth: number, leaf: Json = []): Json => (depth <= 1 ? leaf : [nested(depth - 1, leaf)])

describe('canonicalJson refuses what JSON cannot carry', () => {
  it.each<[string, unknown, string]>([
    ['undefined', undefined, '$'],
    ['an undefined field', { a: { b: undefined } }, '$["a"]["b"]'],
    ['undefined in an array', [1, undefined], '$[1]'],
    ['a hole in an array', holes, '$[1]'],
    ['NaN', [Number.NaN], '$[0]'],
    ['Infinity', Number.POSITIVE_INFINITY, '$'],
    ['negative zero', { x: -0 }, '$["x"]'],
    ['a bigint', 1n, '$'],
    ['a function', { f: () => 1 }, '$["f"]'],
    ['a symbol', Symbol('s'), '$'],
    ['a symbol key', { [Symbol('s')]: 1 }, '$'],
    ['a date', { at: new Date(0) }, '$["at"]'],
    ['a map', new Map([['a', 1]]), '$'],
    ['a set', new Set([1]), '$'],
    ['bytes', new Uint8Array(2), '$'],
    ['a boxed number', [Object(1)], '$[0]'],
    ['a boxed string', Object('a'), '$'],
    ['an array with a name of its own', Object.assign([1], { a: 1 }), '$'],
    ['many strings with a name of their own', Object.assign([...'abcdef'], { a: 1 }), '$'],
    ['many strings with a hole', Object.assign([...'abcdef'], { length: 7 }), '$[6]'],
    ['many strings with a hole and a name', Object.assign([...'abcdef'], { length: 7, a: 1 }), '$[6]'],
    ['many strings, one with a lone surrogate', [...'abcdef', '\ud800'], '$[6]'],
    ['many strings and undefined', [...'abcdef', undefined], '$[6]'],
    ['many strings and a boxed one', [...'abcdef', Object('g')], '$[6]'],
    ['an instance of a class', new Named(), '$'],
    ['an object that inherits', Object.create({ a: 1 }), '$'],
    ['a lone surrogate', ['\ud800'], '$[0]'],
    ['a lone surrogate the wrong way round', '\ude00\ud83d', '$'],
    ['a key with a lone surrogate', { '\udc00': 1 }, '$["\\udc00"]'],
  ])('%s', (_, value, path) => {
    expect(faultOf(() => canonicalJson(value)).path).toBe(path)
  })

  it('a value nested deeper than 128, so that no stack overflows', () => {
    expect(canonicalJson(nested(128))).toHaveLength(256)
    expect(faultOf(() => canonicalJson(nested(129))).reason).toBe('nested deeper than 128')
    const circle: unknown[] = []
    circle.push(circle)
    expect(faultOf(() => canonicalJson(circle)).reason).toBe('nested deeper than 128')
  })
})

describe('guardJson', () => {
  const bounds = { depthMax: 3, bytesMax: 20 }

  it('returns the canonical form', () => {
    expect(guardJson({ b: 1, a: [2] }, bounds)).toBe('{"a":[2],"b":1}')
  })

  it.each<[string, Json]>([
    ['arrays', nested(3)],
    ['objects', { a: { b: {} } }],
    ['a scalar in the innermost', nested(3, [1])],
  ])('takes %s 3 deep', (_, value) => {
    expect(guardJson(value, bounds)).toBe(canonicalJson(value))
  })

  it.each<[string, unknown, string]>([
    ['arrays', nested(4), '$[0][0][0]'],
    ['objects', { a: { b: { c: {} } } }, '$["a"]["b"]["c"]'],
    ['a mixture', { a: [{ b: [] }] }, '$["a"][0]["b"]'],
  ])('refuses %s 4 deep', (_, value, path) => {
    expect(faultOf(() => guardJson(value, bounds))).toEqual({ path, reason: 'nested deeper than 3' })
  })

  it.each([
    ['a', 18, 1],
    ['é', 9, 2],
    ['€', 6, 3],
    ['😀', 4, 4],
  ])('counts bytes, not characters: %s fits %i times', (char, times, bytes) => {
    const size = times * bytes + 2
    const exact = { depthMax: 3, bytesMax: size }
    expect(guardJson(char.repeat(times), exact)).toBe(`"${char.repeat(times)}"`)
    expect(faultOf(() => guardJson(char.repeat(times), { depthMax: 3, bytesMax: size - 1 }))).toEqual({
      path: '$',
      reason: `${size} bytes, at most ${size - 1} are taken`,
    })
  })

  it('counts escapes as they are stored', () => {
    expect(guardJson('\n\n\n\n\n\n\n\n\n', bounds)).toHaveLength(20)
    expect(faultOf(() => guardJson('\n\n\n\n\n\n\n\n\na', bounds)).reason).toMatch(/^21 bytes/)
  })

  const roomy = { depthMax: 8, bytesMax: 1000 }

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s wherever it is', (key) => {
    const value = (inner: string) => JSON.parse(inner.replace('KEY', key))
    const reason = 'this key is refused everywhere'
    expect(faultOf(() => guardJson(value('{"KEY":1}'), roomy))).toEqual({ path: `$["${key}"]`, reason })
    expect(faultOf(() => guardJson(value('{"a":[0,{"KEY":{}}]}'), roomy))).toEqual({
      path: `$["a"][1]["${key}"]`,
      reason,
    })
  })

  it.each(['__proto', 'constructors', 'Prototype', 'proto', 'hasOwnProperty', 'toString'])(
    'takes the key %s',
    (key) => {
      expect(guardJson({ [key]: 1 }, roomy)).toBe(`{"${key}":1}`)
    },
  )

  it.each<[string, unknown, string]>([
    ['in a string', ['a\u0000b'], '$[0]'],
    ['in a key', { 'a\u0000': 1 }, '$["a\\u0000"]'],
  ])('refuses NUL %s', (_, value, path) => {
    expect(faultOf(() => guardJson(value, roomy))).toEqual({ path, reason: 'a NUL character is refused' })
  })

  it.each<[string, boolean]>([
    ['9007199254740991', true],
    ['-9007199254740991', true],
    ['9007199254740993', false],
    ['-9007199254740992', false],
    ['12345678901234567890', false],
    ['123456789012345678901234567890', false],
    ['1e400', false],
    ['0.1', true],
    ['1e-400', true],
    ['123456789012345.5', true],
  ])('takes the number %s from text: %s', (written, isTaken) => {
    const value = JSON.parse(`{"id":[${written}]}`)
    const guarded = () => guardJson(value, { ...roomy, isFromText: true })
    if (isTaken) expect(guarded()).toBe(canonicalJson(value))
    else expect(faultOf(guarded).path).toBe('$["id"][0]')
    if (!written.includes('e4')) expect(guardJson(value, roomy)).toBe(canonicalJson(value))
  })

  it('refuses every value without a canonical form', () => {
    for (const value of [holes, new Map(), { a: undefined }, ['\ud800'], -0]) {
      expect(() => guardJson(value, roomy)).toThrow(NotPlainJsonError)
    }
  })
})

describe('readPath', () => {
  const root: Json = { a: { b: [1], c: null, '': 2 }, text: 'abc' }

  it.each<[string[], Json | undefined]>([
    [[], root],
    [['a', 'c'], null],
    [['a', ''], 2],
    [['a', 'b'], [1]],
    [['a', 'b', '0'], undefined],
    [['a', 'b', 'length'], undefined],
    [['text', 'length'], undefined],
    [['a', 'c', 'd'], undefined],
    [['toString'], undefined],
    [['__proto__', 'toString'], undefined],
    [['constructor', 'name'], undefined],
  ])('reads own properties of objects only: %j', (keys, found) => {
    expect(readPath(root, keys)).toEqual(found)
  })
})

it('utf8Length counts as Buffer does', () => {
  for (const text of ['', 'a', 'é', '€', '😀', 'a\u007f\u0080\u07ff\u0800\uffff😀z']) {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text))
  }
})
