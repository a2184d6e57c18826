import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readDataConverter } from './data-converter.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-converter-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
function moduleOf(code: string): string {
  files += 1
  const path = join(folder, `converter-${files}.mjs`)
  writeFileSync(path, code)
  return path
}
const read = (env: NodeJS.ProcessEnv) => readDataConverter(env, 'a-namespace')
const CODEC = 'const codec = { encode: async (p) => p, decode: async (p) => p };'

describe('the module that TREEOS_DATA_CONVERTER names', () => {
  it.each([
    `${CODEC} export default { payloadCodecs: [codec] }`,
    `${CODEC} export default (env) => ({ payloadCodecs: env.KEY === 'k' ? [codec] : [] })`,
    `${CODEC} export default async () => ({ payloadCodecs: [codec] })`,
  ])('gives a data converter, or makes one of the environment: %s', async (code) => {
    const converter = await read({ TREEOS_DATA_CONVERTER: moduleOf(code), KEY: 'k' })
    expect(converter?.payloadCodecs).toHaveLength(1)
  })

  it.each([
    ['export default 7', /has no data converter as its default export/],
    ['export const codec = 1', /has no data converter as its default export/],
    ['export default { payloadCodecs: [{ encode() {} }] }', /has no data converter/],
    ['export default { payloadConverterPath: 7 }', /has no data converter/],
    ['throw new Error("no key")', /cannot be loaded: no key/],
  ])('is refused when it says %s', async (code, why) => {
    await expect(read({ TREEOS_DATA_CONVERTER: moduleOf(code) })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(why),
    })
  })

  it('is refused where it is no package that is installed', async () => {
    await expect(read({ TREEOS_DATA_CONVERTER: 'no-such-package-of-ours' })).rejects.toThrow(
      /TREEOS_DATA_CONVERTER: "no-such-package-of-ours" is not a package/,
    )
  })
})

describe('the codec server at TEMPORAL_CODEC_ENDPOINT', () => {
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('1') }

  async function asked(answer: RequestListener, how: (url: string) => string = (url) => url) {
    const server = createServer(answer)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const converter = await read({ TEMPORAL_CODEC_ENDPOINT: how(`http://127.0.0.1:${port}`) })
    try {
      return await converter!.payloadCodecs![0]!.decode([payload])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('gets the namespace in its path where the URL has a place for it', async () => {
    let path = ''
    const back = JSON.stringify({ payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'Mg==' }] })
    const decoded = await asked(
      (request, response) => {
        path = request.url ?? ''
        response.end(back)
      },
      (url) => `${url}/of/{namespace}/`,
    )
    expect(path).toBe('/of/a-namespace/decode')
    expect(decoded.map(({ data }) => String(data))).toEqual(['2'])
  })

  it.each([
    [400, '', 'INVALID_INPUT', /answered 400/],
    [401, '', 'SERVICE_UNAVAILABLE', /answered 401/],
    [503, '', 'SERVICE_UNAVAILABLE', /answered 503/],
    [302, '', 'SERVICE_UNAVAILABLE', /does not answer/],
    [200, 'no JSON', 'SERVICE_UNAVAILABLE', /other than 1 payloads/],
    [200, '{"payloads":[]}', 'SERVICE_UNAVAILABLE', /other than 1 payloads/],
  ])('that answers %i %j is refused as %s', async (status, text, code, why) => {
    const answer = asked((_request, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(text)
    })
    await expect(answer).rejects.toMatchObject({ code, message: expect.stringMatching(why) })
  })

  it('has to be a URL', async () => {
    await expect(read({ TEMPORAL_CODEC_ENDPOINT: 'codec.example.com:80' })).rejects.toThrow(/takes the URL/)
  })

  it('is not asked where a module is named', async () => {
    const converter = await read({
      TREEOS_DATA_CONVERTER: moduleOf('export default { payloadCodecs: [] }'),
      TEMPORAL_CODEC_ENDPOINT: 'http://127.0.0.1:1',
    })
    expect(converter).toEqual({ payloadCodecs: [] })
  })
})
