import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Payload, PayloadCodec } from '@temporalio/common'

/** A codec server, as Temporal's UI and its command line ask one. */
export interface CodecServer {
  readonly url: string
  /** namespaces and credentials of the requests so far */
  readonly asked: { readonly namespace: string; readonly auth: string }[]
  close(): Promise<void>
}

interface WirePayload {
  readonly metadata: Record<string, string>
  readonly data: string
}

export async function startCodecServer(codec: PayloadCodec): Promise<CodecServer> {
  const asked: { namespace: string; auth: string }[] = []
  const server = createServer(async (request, response) => {
    const { 'x-namespace': namespace = '', authorization: auth = '' } = request.headers
    asked.push({ namespace: String(namespace), auth })
    try {
      const { payloads } = JSON.parse(await text(request)) as { payloads: WirePayload[] }
      const given = payloads.map(fromWire)
      const answer = await (request.url === '/encode' ? codec.encode(given) : codec.decode(given))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ payloads: answer.map(toWire) }))
    } catch (error) {
      response.statusCode = 400
      response.end(String(error))
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const fromWire = ({ metadata, data }: WirePayload): Payload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(data, 'base64'),
})

const toWire = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
})
