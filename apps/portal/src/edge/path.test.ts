import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { pathOf } from './path.ts'

it.each([
  ['http://h/v1/models', '/v1/models'],
  ['http://h/v1//chat/completions', '/v1/chat/completions'],
  ['http://h//api///v1/inbox?after=a//b', '/api/v1/inbox'],
  ['http://h//', '/'],
  ['http://h', '/'],
  ['http://h/api/v1/beings/a%2F%2Fb', '/api/v1/beings/a%2F%2Fb'], // these are no slashes of the path
])('of %s is %s', (url, path) => expect(pathOf(new Request(url))).toBe(path))

it('is the one that routes and checks see', async () => {
  const app = new Hono({ getPath: pathOf })
  app.use('/v1/*', async (c, next) => {
    c.header('seen', c.req.path)
    await next()
  })
  app.route(
    '/v1',
    new Hono().get('/models', (c) => c.text('models')),
  )
  const answer = await app.request('http://h/v1//models')
  expect([answer.headers.get('seen'), await answer.text()]).toEqual(['/v1/models', 'models'])
})
