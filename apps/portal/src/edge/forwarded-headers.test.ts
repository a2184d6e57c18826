import { describe, expect, it } from 'vitest'
import { addressesBehind } from './address.ts'
import { readForwarded } from './forwarded-headers.ts'
import { namesFor, requireOwnName } from './names.ts'

const OLD = {
  'x-forwarded-for': '192.0.2.7',
  'x-forwarded-host': 'world.example.org',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '8443',
}
const STANDARD = 'for=192.0.2.7;host=world.example.org;proto=https'

const read = (headers: Readonly<Record<string, string>>, isByProxy = true) =>
  readForwarded((name) => headers[name], isByProxy)

describe('what proxies say', () => {
  it('is read from both kinds of headers', () => {
    const said = { for: '192.0.2.7', host: 'world.example.org', proto: 'https' }
    expect(read(OLD)).toEqual({ ...said, port: '8443' })
    expect(read({ forwarded: STANDARD })).toEqual(said)
  })

  it('is, of anybody else, the scheme of X-Forwarded-Proto alone', () => {
    expect(read(OLD, false)).toEqual({ proto: 'https' })
    expect(read({ forwarded: STANDARD }, false)).toEqual({})
  })

  it('is not what came beside it in the header that the proxy passes on', () => {
    const forged = 'for=198.51.100.1;host=evil.example.org;proto=http'
    expect(read({ ...OLD, forwarded: forged })).toEqual(read(OLD))
    expect(read({ 'x-forwarded-for': '192.0.2.7', forwarded: forged })).toEqual({ for: '192.0.2.7' })
  })

  it.each<[what: string, header: string, said: object]>([
    ['nothing', '', {}],
    ['large letters', 'For=192.0.2.7;PROTO=https', { for: '192.0.2.7', proto: 'https' }],
    ['quotes', 'for="[2001:db8::7]:4711"', { for: '[2001:db8::7]:4711' }],
    ['a port', 'host="world.example.org:8443"', { for: 'unknown', host: 'world.example.org:8443' }],
    ['an escape', 'for="192.0\\.2.7"', { for: '192.0.2.7' }],
    ['spaces', ' for=192.0.2.7 ; proto=https , for=10.0.0.2 ', { for: '192.0.2.7,10.0.0.2', proto: 'https' }],
    ['several hops', 'for=192.0.2.7, for=10.0.0.2', { for: '192.0.2.7,10.0.0.2' }],
    ['a hop that hides for whom', 'for=192.0.2.7, proto=http', { for: '192.0.2.7,unknown', proto: 'http' }],
    ['what it does not know', 'by=10.0.0.3;secret=x;for=192.0.2.7', { for: '192.0.2.7' }],
    ['IPv6 without quotes', 'for=[2001:db8::7]', {}],
    ['a text without an end', 'for="192.0.2.7', {}],
    ['a list within quotes', 'for="192.0.2.7, 10.0.0.2"', {}],
    ['a field that comes twice', 'for=192.0.2.7;for=192.0.2.8', {}],
    ['a field without a value', 'for=192.0.2.7;proto', {}],
    ['an open pair', 'for=192.0.2.7;', {}],
    ['words', 'I come from 192.0.2.7', {}],
  ])('by Forwarded with %s', (_what, header, said) => {
    expect(read({ forwarded: header })).toEqual(said)
  })

  it.each([
    ['for=192.0.2.7', '192.0.2.7'],
    ['for="192.0.2.7:4711", for=10.0.0.2', '192.0.2.7'],
    ['for=1.1.1.1, for="[2001:db8:1:2::9]"', '2001:db8:1:2::/64'],
    ['for=_hidden', '127.0.0.1'],
    ['for=192.0.2.7, for=unknown', '127.0.0.1'],
    ['for=192.0.2.7, proto=https', '127.0.0.1'],
    ['nonsense', '127.0.0.1'],
  ])('names the address of %s', (header, address) => {
    const { of } = addressesBehind(['127.0.0.1', '10.0.0.0/8'])
    expect(of('127.0.0.1', read({ forwarded: header }).for)).toBe(address)
  })

  it('has names of ours alone', () => {
    const names = namesFor('0.0.0.0', ['world.example.org'])
    const hostOf = (header: string) => requireOwnName(read({ forwarded: header }).host, names)
    expect(hostOf('host="world.example.org:8443", host=localhost')).toBe('world.example.org:8443')
    expect(() => hostOf('host=world.example.org, host=evil.example.org')).toThrow('TREEOS_PORTAL_HOSTS')
  })
})
