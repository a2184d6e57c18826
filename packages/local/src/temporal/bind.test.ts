import { expect, it } from 'vitest'
import { isBeyondLoopback, nearAddress, requireBind } from './bind.ts'

it.each([
  ['127.0.0.1', false, '127.0.0.1:7'],
  ['127.8.9.10', false, '127.8.9.10:7'],
  ['::1', false, '[::1]:7'],
  ['0.0.0.0', true, '127.0.0.1:7'],
  ['::', true, '[::1]:7'],
  ['192.168.1.5', true, '192.168.1.5:7'],
  ['2001:db8::5', true, '[2001:db8::5]:7'],
])('%s: beyond loopback %s, reached from here at %s', (ip, isBeyond, near) => {
  expect(requireBind(ip)).toBe(ip)
  expect([isBeyondLoopback(ip), nearAddress(ip, 7)]).toEqual([isBeyond, near])
})

it('nothing set is loopback; a name is refused', () => {
  expect([requireBind(undefined), requireBind('')]).toEqual(['127.0.0.1', '127.0.0.1'])
  expect(() => requireBind('localhost')).toThrow('it takes an IP address')
})
