import { expect, it } from 'vitest'
import { ModelTransientError, throwLost } from './failures.ts'

/** An error as fetch throws it: its cause has the code. */
const lost = (cause: object) => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), cause) })
function isFree(error: Error): boolean {
  try {
    throwLost(error)
  } catch (thrown) {
    if (thrown instanceof ModelTransientError) return thrown.isFree
    throw thrown
  }
}

it.each([
  { code: 'ECONNREFUSED', syscall: 'connect' },
  { code: 'ETIMEDOUT', syscall: 'connect' },
  { code: 'ECONNRESET', syscall: 'connect' },
  { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
  { code: 'EAI_AGAIN' },
  { code: 'EHOSTUNREACH' },
  { code: 'ENETDOWN' },
  { code: 'UND_ERR_CONNECT_TIMEOUT' },
  { code: 'CERT_HAS_EXPIRED' },
  { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
])('a request that was never sent costs nothing: %j', (cause) => {
  expect(isFree(lost(cause))).toBe(true)
})

it.each([
  { code: 'ECONNRESET', syscall: 'read' },
  { code: 'ETIMEDOUT', syscall: 'read' },
  { code: 'EPIPE', syscall: 'write' },
  { code: 'UND_ERR_SOCKET' },
  { code: 'UND_ERR_HEADERS_TIMEOUT' },
  { code: 'ERR_SSL_BAD_RECORD_MAC' },
  {},
])('one that was lost on the way may be charged for: %j', (cause) => {
  expect(isFree(lost(cause))).toBe(false)
})

it('a refused connection of several addresses comes within another error', () => {
  const each = Object.assign(new Error('connect'), { code: 'EHOSTUNREACH', syscall: 'connect' })
  expect(
    isFree(
      new TypeError('fetch failed', {
        cause: Object.assign(new AggregateError([each]), { code: 'EHOSTUNREACH' }),
      }),
    ),
  ).toBe(true)
})
