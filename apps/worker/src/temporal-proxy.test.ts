import { expect, it } from 'vitest'
import { temporalProxy } from './temporal-proxy.ts'

const CLOUD = 'acme.a1b2.tmprl.cloud:7233'
const proxied = { type: 'http-connect', targetHost: 'proxy.corp:3128' }

it.each([
  [{ https_proxy: 'http://proxy.corp:3128' }, proxied],
  [{ https_proxy: 'http://other:1', grpc_proxy: 'http://proxy.corp:3128' }, proxied],
  [
    { http_proxy: 'http://proxy.corp', https_proxy: '' },
    { ...proxied, targetHost: 'proxy.corp:80' },
  ],
  [
    { https_proxy: 'http://ann:p%40ss@proxy.corp:3128' },
    { ...proxied, basicAuth: { username: 'ann', password: 'p@ss' } },
  ],
  [{ https_proxy: 'http://proxy.corp:3128', no_proxy: 'corp, example.org' }, proxied],
  [{ https_proxy: 'http://proxy.corp:3128', no_proxy: 'prl.cloud' }, proxied],
])('a worker goes by the proxy of %j', (env, proxy) => {
  expect(temporalProxy(CLOUD, env)).toEqual(proxy)
})

it.each([
  [CLOUD, {}],
  [CLOUD, { https_proxy: 'no url' }],
  [CLOUD, { https_proxy: 'socks5://proxy.corp:1080' }],
  [CLOUD, { https_proxy: 'http://proxy.corp:3128', no_proxy: 'corp,.tmprl.cloud' }],
  [CLOUD, { https_proxy: 'http://proxy.corp:3128', no_proxy: '*' }],
  ['temporal.corp:7233', { https_proxy: 'http://proxy.corp:3128', no_grpc_proxy: 'temporal.corp' }],
  ['localhost:7233', { https_proxy: 'http://proxy.corp:3128' }],
  ['127.0.0.1:7233', { https_proxy: 'http://proxy.corp:3128' }],
  ['[::1]:7233', { https_proxy: 'http://proxy.corp:3128' }],
])('a worker goes straight to %s by %j', (address, env) => {
  expect(temporalProxy(address, env)).toBeUndefined()
})
