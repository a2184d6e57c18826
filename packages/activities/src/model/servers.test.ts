import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ask, KEY, mind, SECRET, server, useServer } from '../../test/asked-model.ts'
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
  const pages = PARTS.map(([title, rows]) => `## ${title}\n\n${listOf(rows)}\n`)
  await expect([HEAD, ...pages].join('\n')).toMatchFileSnapshot('../../../../docs/model-servers.md')
})

/** A list of the rows. Those that come to the same stand together, and of these what one server does. */
function listOf(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ so }) => so)
  return [...groups].map(([so, same]) => wrapped(entryOf(so, same))).join('\n')
}

function entryOf(so: string, rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ of }) => of)
  const known = [...groups]
    .map(([of, same]) => `${same.map(({ what }) => what).join('; ')} (${of})`)
    .join('; ')
  return rows.length === 1 ? `- ${known}: ${so}` : `- **${so}**: ${known}`
}

/** At most 140 columns a line. */
function wrapped(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + word.length < 140) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}

const HEAD = `# Model servers

For who runs TreeOS with a model server, and asks what it makes of its answers. \`packages/activities/src/model/servers.test.ts\` makes this
page: each entry is a test, with and without a stream. In brackets: who is known to do what stands since the bracket before.

- A field that an endpoint refuses is left out in the same call, and while the process runs. No text of a provider is kept.
- The limit of an answer is \`max_completion_tokens\` for OpenAI, Azure, Groq, Cerebras and xAI, else \`max_tokens\`, or what the server
  takes.
- A call in words is read where tools were offered: if the words are nothing but calls, or end with calls on a line of their own, after
  a control token such as \`<tool_call>\`. Thinking, control tokens and one code fence around all are taken out first. It must name a
  tool that was offered and must not stand in the prompt.
- A server that reads less of a prompt than it was sent is found by its own count. The failure names the setting.
`
