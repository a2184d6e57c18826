import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { fetchOf } from './named-addresses.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** @returns the address of a server on loopback, and the requests that it got */
async function serve(answer: RequestListener): Promise<{ base: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  open.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const json =
  (value: object): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

describe('addresses that a server of tools names', () => {
  /** A server that asks for a token, and says that a server within the network tells of it. */
  async function connecting(issuerOf: (inward: string, own: string) => string): Promise<string[]> {
    const inward = await serve(json({ secret: 1 }))
    const server = await serve((_request, response) =>
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${inward.base}/metadata"` })
        .end(),
    )
    const oauth = { clientId: 'treeos', secret: 'client', issuer: issuerOf(inward.base, server.base) }
    const entry = { url: `${server.base}/mcp`, oauth, secrets: {} }
    await expect(connect(entry as never, { client: 'kept' })).rejects.toThrow()
    expect(server.asked).not.toEqual([]) // control: the server itself is the operator's choice
    return inward.asked
  }

  it('are not reached where they are private', async () => {
    expect(await connecting((_inward, own) => own)).toEqual([])
  })

  it('control: are reached where the entry names them as the issuer', async () => {
    expect(await connecting((inward) => inward)).not.toEqual([])
  })

  it('are refused in words that say what allows them', async () => {
    const inward = await serve(json({}))
    const fetch = fetchOf({ url: 'http://tools.example/mcp' } as never)
    for (const init of [
      {},
      { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) },
    ])
      await expect(fetch(`${inward.base}/token`, init)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining(
          'a server of tools reaches it only if the issuer of its entry names',
        ),
      })
    expect(inward.asked).toEqual([])
  })
})
