import { describe, expect, it } from 'vitest'
import { addressesBehind } from './address.ts'

describe('the address that counts', () => {
  it('is that of the connection, whatever a header says', () => {
    const { of: addressOf } = addressesBehind()
    expect(addressOf('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
    expect(addressOf('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1')
    expect(addressOf('::ffff:203.0.113.7', undefined)).toBe('203.0.113.7')
  })

  it('is the last one that a trusted proxy names and that is no proxy itself', () => {
    const { of: addressOf } = addressesBehind(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
    expect(addressOf('127.0.0.1', '198.51.100.1')).toBe('198.51.100.1')
    expect(addressOf('127.0.0.1', '1.1.1.1, 198.51.100.1, 10.1.2.3')).toBe('198.51.100.1')
    expect(addressOf('::ffff:10.9.9.9', '198.51.100.1')).toBe('198.51.100.1')
    expect(addressOf('fd00::5', '198.51.100.1')).toBe('198.51.100.1')
    expect(addressOf('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
    expect(addressOf('127.0.0.1', 'nonsense')).toBe('127.0.0.1')
    expect(addressOf('127.0.0.1', undefined)).toBe('127.0.0.1')
  })

  it.each([
    ['192.0.2.7:4711', '192.0.2.7'],
    ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711, 10.0.0.2:80', '192.0.2.7'],
    ['192.0.2.7:x', '127.0.0.1'],
  ])('is found in %s, which a proxy wrote', (forwarded, address) => {
    expect(addressesBehind(['127.0.0.1', '10.0.0.0/8']).of('127.0.0.1', forwarded)).toBe(address)
  })

  it('of IPv6 is the network of a subscriber', () => {
    const { of: addressOf } = addressesBehind()
    expect(addressOf('2001:db8:1:2:3:4:5:6', undefined)).toBe('2001:db8:1:2::/64')
    expect(addressOf('2001:db8:1:2::9', undefined)).toBe('2001:db8:1:2::/64')
    expect(addressOf('2001:db8::9', undefined)).toBe('2001:db8:0:0::/64')
    expect(addressOf('fe80::1%eth0', undefined)).toBe('fe80:0:0:0::/64')
  })

  it.each(['proxy.example', '10.0.0.0/x', '10.0.0.0/99', '*'])('refuses the proxy %j', (proxy) => {
    expect(() => addressesBehind([proxy])).toThrow('TREEOS_PORTAL_PROXIES')
  })
})
