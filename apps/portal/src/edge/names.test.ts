import { describe, expect, it } from 'vitest'
import { addressOfHost, namesFor, originReached, publicUrl, requireOwnName } from './names.ts'
import { requireOwnPage } from './same-site.ts'

const ANY = { address: '0.0.0.0', family: 'IPv4', port: 7438 }

describe('the names of a portal', () => {
  const names = namesFor('0.0.0.0', [
    'World.Example.org',
    'https://two.example.org',
    'three.example.org:8443',
  ])

  it.each([
    'world.example.org',
    'WORLD.example.org:80',
    'two.example.org',
    'three.example.org:9',
    'localhost:7438',
  ])('hold %s', (host) => {
    expect(requireOwnName(host, names)).toBe(host)
  })

  it.each(['evil.example.org', '0.0.0.0:7438', 'two.example.org.evil.org', undefined])(
    'do not hold %s',
    (host) => {
      expect(() => requireOwnName(host, names)).toThrow('TREEOS_PORTAL_HOSTS')
    },
  )

  it.each(['https://a.org/path', 'a b', '0.0.0.0', 'user@a.org', ''])('take no %s', (host) => {
    expect(() => namesFor('127.0.0.1', [host])).toThrow('TREEOS_PORTAL_HOSTS')
  })
})

describe('what a proxy passes on', () => {
  const names = namesFor('0.0.0.0', [
    'world.example.org',
    'https://tls.example.org:8443',
    'other.example.org:81',
    'fd00::5',
  ])

  it.each([
    ['one name', 'world.example.org', 'https', 'https://world.example.org'],
    ['no scheme', 'world.example.org:7438', undefined, 'http://world.example.org:7438'],
    ['an empty scheme', 'world.example.org', '', 'http://world.example.org'],
    ['large letters', 'World.example.org', 'HTTPS', 'https://world.example.org'],
    ['that of web sockets', 'world.example.org', 'wss', 'https://world.example.org'],
    ['lists', 'world.example.org, localhost:7438', 'https, http', 'https://world.example.org'],
    ['lists without spaces', 'world.example.org,localhost', 'https,http', 'https://world.example.org'],
    ['a list that began in clear', 'world.example.org, localhost', 'http, https', 'http://world.example.org'],
    ['the port of the scheme', 'world.example.org:443', 'https', 'https://world.example.org'],
    ['another port', 'world.example.org:8443', 'https', 'https://world.example.org:8443'],
    ['no port, where one was written', 'tls.example.org', 'http', 'https://tls.example.org:8443'],
    ['no scheme, where one was written', 'tls.example.org:9', undefined, 'https://tls.example.org:9'],
    ['no port, where a name has one', 'other.example.org', undefined, 'http://other.example.org:81'],
    ['a full name', 'world.example.org.', 'https', 'https://world.example.org'],
    ['a full name with a port', 'world.example.org.:7438', undefined, 'http://world.example.org:7438'],
    ['IPv6', '[fd00::5]:7438', undefined, 'http://[fd00::5]:7438'],
    ['IPv6 without brackets', 'fd00::5', 'https', 'https://[fd00::5]'],
    ['IPv6 of loopback', '[::1]:7438', undefined, 'http://[::1]:7438'],
  ])('%s', (_what, host, proto, origin) => {
    expect(originReached(requireOwnName(host, names), proto, names)).toBe(origin)
  })

  it.each([
    ['a port alone', 'world.example.org', '8443', 'https://world.example.org:8443'],
    ['a list of ports', 'world.example.org', '8443, 7438', 'https://world.example.org:8443'],
    ['a port beside that of the host', 'world.example.org:9', '8443', 'https://world.example.org:9'],
    ['a port beside one that was written', 'tls.example.org', '9', 'https://tls.example.org:8443'],
    ['the port of the scheme', 'world.example.org', '443', 'https://world.example.org'],
    ['the port of an inner proxy', 'world.example.org', '80', 'https://world.example.org'],
    ['a port for IPv6', '[fd00::5]', '8443', 'https://[fd00::5]:8443'],
    ['a port that is none', 'world.example.org', '99999', 'https://world.example.org'],
    ['words for a port', 'world.example.org', '1@evil.org', 'https://world.example.org'],
  ])('X-Forwarded-Port with %s', (_what, host, port, origin) => {
    expect(originReached(requireOwnName(host, names, port), 'https', names)).toBe(origin)
  })

  it.each([
    'evil.example.org, world.example.org',
    'world.example.org, evil.example.org',
    'world.example.org,',
    ',',
    'fd00::6',
    'world.example.org..',
  ])('%j is not ours: each name of a list has to be', (host) => {
    expect(() => requireOwnName(host, names)).toThrow('TREEOS_PORTAL_HOSTS')
  })

  it('an address of IPv6 is one name, however it is written', () => {
    expect(requireOwnName('[fd00::7]:1', namesFor('fd00:0::7', []))).toBe('[fd00::7]:1')
    expect(() => requireOwnName('[::]:1', namesFor('0::0', []))).toThrow('TREEOS_PORTAL_HOSTS')
    expect(() => namesFor('127.0.0.1', ['[::]'])).toThrow('TREEOS_PORTAL_HOSTS')
  })
})

describe('the address in links', () => {
  it.each([
    { at: ANY, hosts: [], url: 'http://localhost:7438' },
    { at: { ...ANY, address: '::', family: 'IPv6' }, hosts: [], url: 'http://localhost:7438' },
    { at: { ...ANY, address: '10.0.0.5' }, hosts: [], url: 'http://10.0.0.5:7438' },
    { at: { ...ANY, address: 'fd00::5', family: 'IPv6' }, hosts: [], url: 'http://[fd00::5]:7438' },
    { at: ANY, hosts: ['World.example.org', 'b.org'], url: 'http://world.example.org:7438' },
    { at: ANY, hosts: ['world.example.org:8080'], url: 'http://world.example.org:8080' },
    { at: ANY, hosts: ['https://World.example.org'], url: 'https://world.example.org' },
    { at: ANY, hosts: ['https://world.example.org:8443'], url: 'https://world.example.org:8443' },
    { at: ANY, hosts: ['https://world.example.org.'], url: 'https://world.example.org' },
    { at: ANY, hosts: ['fd00::5'], url: 'http://[fd00::5]:7438' },
  ])('is $url, and its host is a name of the portal', ({ at, hosts, url }) => {
    expect(publicUrl(at, hosts)).toBe(url)
    const { host } = new URL(url)
    expect(requireOwnName(host, namesFor(at.address, hosts))).toBe(host)
  })
})

it.each([
  ['world.example.org', 'http://world.example.org'],
  ['world.example.org:8080', 'http://world.example.org:8080'],
  ['https://World.example.org', 'https://world.example.org'],
])('the address of %s alone is %s', (host, address) => {
  expect(addressOfHost(host)).toBe(address)
})

describe('the origin of a request', () => {
  const asked = (origin: string) =>
    new Request('http://localhost/api', {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{}',
    })

  it.each([
    { origin: 'https://world.example.org', host: 'world.example.org' },
    { origin: 'https://world.example.org', host: 'world.example.org:443' },
    { origin: 'http://world.example.org', host: 'world.example.org:80' },
    { origin: 'http://world.example.org:7438', host: 'World.Example.org:7438' },
    { origin: 'https://world.example.org.', host: 'world.example.org' },
    { origin: 'http://world.example.org.:7438', host: 'world.example.org:7438' },
  ])('$origin is that of $host', ({ origin, host }) => {
    expect(() => requireOwnPage(asked(origin), host)).not.toThrow()
  })

  it.each([
    { origin: 'https://evil.example.org', host: 'world.example.org' },
    { origin: 'http://world.example.org:7439', host: 'world.example.org:7438' },
    { origin: 'https://world.example.org', host: 'world.example.org:80' },
    { origin: 'null', host: 'world.example.org' },
  ])('$origin is not that of $host', ({ origin, host }) => {
    expect(() => requireOwnPage(asked(origin), host)).toThrow('not from this portal')
  })
})
