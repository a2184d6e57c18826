/**
 * The model of the benchmark. It answers every request with the same tool call for all contestants, after a
 * time of its argument. It runs in a process of its own, so that its CPU time is counted separately.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FromStub } from './protocol.ts'

const thinkMs = Number(process.argv[2] ?? 0)
let calls = 0
let bytes = 0

const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    calls += 1
    const body = JSON.stringify(answer(calls))
    const send = () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    }
    if (thinkMs === 0) send()
    else setTimeout(send, thinkMs)
  })
})
server.keepAliveTimeout = 60_000

/**
 * A DO that sets a quality of the asker. For a being it is an act with one fact, for the other contestants a
 * text to store.
 */
function answer(n: number) {
  const args = {
    field: 'bench.said',
    value: `This is answer ${n}, of about the length that a short answer has.`,
  }
  return {
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'stub',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call-${n}`,
              type: 'function',
              function: { name: 'do', arguments: JSON.stringify({ operation: 'set-being', args }) },
            },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 400, completion_tokens: 40, total_tokens: 440 },
  }
}

const tell = (message: FromStub) => void process.send?.(message)

server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })
})
process.on('message', () => tell({ type: 'asked', calls, bytes }))
process.on('disconnect', () => process.exit())
