import { toldPastProxy } from '@treeos/egress'
import { expect, it, vi } from 'vitest'
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

it.each([
  ['with a key, past the proxy', 'http://model.test', true, { HTTP_PROXY: 'http://proxy.test:1' }, true],
  ['without a key, by the proxy', 'http://model.test', false, { HTTP_PROXY: 'http://proxy.test:1' }, false],
  ['with a key, by HTTPS', 'https://model.test', true, {}, false],
  ['with a key, no proxy', 'http://model.test', true, {}, false],
  ['this machine', 'http://localhost:1', true, { HTTP_PROXY: 'http://proxy.test:1' }, false],
])(
  'a connection that failed tells the rule about keys where it counts: %s',
  (_what, url, isSecret, env, tells) => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'])
      vi.stubEnv(name, env[name as keyof typeof env] ?? '')
    const asked = () => throwLost(toldPastProxy(lost({ code: 'ENOTFOUND' }), new URL(url), isSecret))
    expect(asked).toThrow('connection to the model failed (ENOTFOUND)')
    const rule = 'goes past HTTP_PROXY, which would read the key: write https://'
    if (tells) expect(asked).toThrow(rule)
    else expect(asked).not.toThrow('HTTP_PROXY')
    vi.unstubAllEnvs()
  },
)
