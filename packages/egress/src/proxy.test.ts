import { expect, it } from 'vitest'
import { proxyFor } from './proxy.ts'

const PROXY = { HTTP_PROXY: 'http://plain.test:1', HTTPS_PROXY: 'http://proxy.test:2' }
const far = 'https://far.example.org/v1'

it.each<[what: string, url: string, env: Record<string, string>, expected: string | null]>([
  ['none is named', far, {}, null],
  ['an empty one', far, { HTTPS_PROXY: '' }, null],
  ['that of HTTPS', far, PROXY, 'proxy.test:2'],
  ['that of HTTP', 'http://far.example.org', PROXY, 'plain.test:1'],
  ['small letters win', far, { ...PROXY, https_proxy: 'http://small.test:3' }, 'small.test:3'],
  ['HTTP_PROXY stands in', far, { HTTP_PROXY: 'http://plain.test:1' }, 'plain.test:1'],
  ['but not the other way', 'http://far.example.org', { HTTPS_PROXY: 'http://proxy.test:2' }, null],
  ['without a scheme', far, { HTTPS_PROXY: 'proxy.test:3128' }, 'proxy.test:3128'],
  ['this machine', 'https://localhost:1', PROXY, null],
  ['its name with a dot', 'https://localhost.', PROXY, null],
  ['its address', 'https://127.1.2.3', PROXY, null],
  ['its address of six', 'https://[::1]:1', PROXY, null],
  ['NO_PROXY: all', far, { ...PROXY, NO_PROXY: '*' }, null],
  ['NO_PROXY: the host', far, { ...PROXY, NO_PROXY: 'a.test, FAR.example.org' }, null],
  ['NO_PROXY: its domain', far, { ...PROXY, NO_PROXY: 'example.org' }, null],
  ['NO_PROXY: its domain with a dot', far, { ...PROXY, no_proxy: '.example.org' }, null],
  ['NO_PROXY: its domain with a star', far, { ...PROXY, NO_PROXY: '*.example.org' }, null],
  ['NO_PROXY: the end of its name', far, { ...PROXY, NO_PROXY: 'ample.org' }, 'proxy.test:2'],
  ['NO_PROXY: its port', far, { ...PROXY, NO_PROXY: 'example.org:443' }, null],
  ['NO_PROXY: another port', far, { ...PROXY, NO_PROXY: 'example.org:8443' }, 'proxy.test:2'],
  ['NO_PROXY: an address', 'https://10.1.2.3', { ...PROXY, NO_PROXY: '10.1.2.3' }, null],
  ['NO_PROXY: an address of six', 'https://[fd00::1]', { ...PROXY, NO_PROXY: 'fd00::1' }, null],
  ['NO_PROXY: its network', 'https://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, null],
  ['NO_PROXY: another network', 'https://11.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, 'proxy.test:2'],
  ['NO_PROXY: no network', far, { ...PROXY, NO_PROXY: 'x/8,10.0.0.0/x,10.0.0.0/99,,' }, 'proxy.test:2'],
])('%s', (_what, url, env, expected) => {
  expect(proxyFor(new URL(url), false, env)?.host ?? null).toBe(expected)
})

it('takes a secret over plain HTTP straight, and over HTTPS through the proxy', () => {
  expect(proxyFor(new URL('http://far.test'), true, PROXY)).toBeNull()
  expect(proxyFor(new URL('https://far.test'), true, PROXY)?.host).toBe('proxy.test:2')
})

it.each(['socks5://u:hidden@proxy.test', 'http://', '://'])('refuses %s, and does not quote it', (text) => {
  const asked = () => proxyFor(new URL(far), false, { HTTPS_PROXY: text })
  expect(asked).toThrow('write http://HOST:PORT')
  expect(asked).not.toThrow('hidden')
})
