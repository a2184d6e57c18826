import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ask, KEY, mind, SECRET, server, useServer } from '../../test/asking.ts'
import type { Asked, Row } from '../../test/servers.ts'
import { ANSWERS } from '../../test/servers-answers.ts'
import { ERRORS } from '../../test/servers-errors.ts'
import { REQUESTS } from '../../test/servers-requests.ts'
import { STREAMS } from '../../test/servers-streams.ts'
import { QUOTES, TEXTS } from '../../test/servers-texts.ts'
import { createModel, ModelTransientError, modelEndpoint } from './model.ts'

useServer()

const PARTS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  ['Requests that are refused', REQUESTS],
  ['Answers', ANSWERS],
  ['Calls in words', TEXTS],
  ['Words that are no calls', QUOTES],
  ['Streams', STREAMS],
  ['Errors and limits', ERRORS],
]

async function askOf({ says, request, parameters }: Row, isWatched: boolean) {
  server.reset()
  server.script((body) => {
    const { status, headers, body: text } = says(body as Asked)
    return status === 200
      ? { raw: text, headers: { ...headers } }
      : { status, headers: { ...headers }, body: text }
  })
  const endpoint = modelEndpoint({
    ...mind,
    apiKey: KEY,
    ...(parameters === undefined ? {} : { parameters }),
  })
  const model = createModel(endpoint, { timeoutSeconds: 10 })
  const watched = isWatched ? { onSaying: () => undefined } : {}
  const decide = () => model.decide({ ...ask, ...request, ...watched }).catch((error: unknown) => error)
  const first = await decide()
  const bodies = server.requests.map(({ body }) => body)
  await decide()
  return { first, bodies, later: server.requests.length - bodies.length }
}

/** What came, without what tells a watched call from an unwatched one by its nature. */
const plain = (came: unknown) => {
  if (!(came instanceof ModelTransientError)) return { ...(came as object), received: undefined }
  const { code, message, status, retryAfterMs } = came
  return { code, message, status, retryAfterMs }
}

describe.each(PARTS)('%s', (_, rows) => {
  it.each(rows.map((row) => [row.what, row.of, row] as const))('%s (%s)', async (_what, _of, row) => {
    const whole = await askOf(row, false)
    const watched = await askOf(row, true)
    expect(whole.first).toMatchObject(row.comes)
    expect(plain(watched.first)).toEqual(plain(whole.first))
    if (row.requests !== undefined) expect(whole.bodies).toHaveLength(row.requests)
    expect([whole.later, watched.later]).toEqual([1, 1]) // what was learnt is remembered
    if (row.sent !== undefined) expect(whole.bodies.at(-1)).toMatchObject(row.sent)
    for (const { first } of [whole, watched])
      for (const secret of [KEY, SECRET])
        expect(inspect(first, { depth: 10, showHidden: true })).not.toContain(secret)
  })
})

it('the page lists them all', async () => {
  const pages = PARTS.map(([title, rows]) => `## ${title}\n\n${tableOf(rows)}\n`)
  await expect([HEAD, ...pages].join('\n')).toMatchFileSnapshot('../../../../docs/model-servers.md')
})

/** A table as the formatter lays it out. */
function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [row.what, row.of, row.so].map((text) => text.replaceAll('|', '\\|')))
  const titles = ['what the server does', 'known of', 'what comes of it']
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...lines.map(line)].join('\n')
}

const HEAD = `# Model servers

_This page is made by \`packages/activities/src/model/servers.test.ts\`: each line is a test, with a server that behaves so. Each is asked as
nobody watches and as somebody does (then the answer is streamed), and both must come to the same._

What an endpoint refuses is asked again without it, in the same call, and remembered while the process runs. Nothing of it is stored, and no
text of a provider is kept. A call in words is read only where tools were offered, and stands behind the same gates as any other.
`
