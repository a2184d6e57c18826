import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { JsonObject } from '@treeos/core'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { wakesOf } from '../../support/life.ts'
import { EdgeWorld } from '../../support/mcp.ts'
import { expectUnbroken } from '../../support/replays.ts'

let edge: EdgeWorld
beforeAll(async () => {
  edge = await EdgeWorld.start()
})
afterEach(() => edge.dismiss())
afterAll(() => edge?.close())

/** In each text, so that the server's log shows whether a statement contained one. */
const MARK = `w4-${randomUUID().slice(0, 8)}`
const TEXTS = [
  `' or '1'='1`,
  `'; drop table treeos.inbox; --`,
  `' union select secret_hash::text from treeos.token --`,
  `\\'; select 1 --`,
  `"); select pg_sleep(5); --`,
  `$$ || $1 || $$`,
  `%' or content like '%`,
].map((text) => `${text} ${MARK}`)

/** Each argument of a tool that takes a text. */
const ENTRIES: Readonly<Record<string, (text: string) => readonly [tool: string, args: JsonObject]>> = {
  'see: address': (text) => ['see', { address: text }],
  'see: being': (text) => ['see', { address: `@${text}` }],
  'see: thread': (text) => ['see', { address: `thread:${text}` }],
  'do: operation': (text) => ['do', { operation: text, target: '/', args: {} }],
  'do: target': (text) => ['do', { operation: 'move', target: text, args: {} }],
  'do: field': (text) => [
    'do',
    { operation: 'set-being', target: '@ada', args: { field: `a.${text}`, value: 1 } },
  ],
  'do: value': (text) => [
    'do',
    { operation: 'set-being', target: '@ada', args: { field: 'a.b', value: text } },
  ],
  'do: role': (text) => [
    'do',
    { operation: 'set-role', target: '/', args: { role: { name: text, prompt: text } } },
  ],
  'summon: target': (text) => ['summon', { target: `@${text}`, content: text }],
  'summon: role': (text) => ['summon', { target: '@echo', content: text, role: text }],
  'summon: inReplyTo': (text) => ['summon', { content: text, inReplyTo: text }],
  'summon: thread': (text) => ['summon', { target: '@echo', content: text, thread: text }],
  'summon: channel': (text) => ['summon', { target: '@echo', content: text, channel: text }],
  'be: operation': (text) => ['be', { operation: text, args: {} }],
  'be: name': (text) => ['be', { operation: 'birth', args: { name: text, cognition: 'human' } }],
}

it.each(Object.keys(ENTRIES))('a text is a value: %s', async (name) => {
  const ada = await edge.asBeing('ada')
  for (const text of TEXTS) {
    const [tool, args] = (ENTRIES[name] as (typeof ENTRIES)[string])(text)
    const { isError, value } = await ada.call(tool, args)
    if (isError) expect(value.code, JSON.stringify(value)).not.toBe('INTERNAL')
  }
})

it('what was said is kept as it was said', async () => {
  const ada = await edge.asBeing('ada')
  for (const text of TEXTS) await ada.call('summon', { target: '@echo', content: text })
  const kept = (await wakesOf(edge.world, 'echo')).map(({ content }) => content)
  for (const text of TEXTS) expect(kept).toContain(text)
})

it('no statement that Postgres refused contains one, and every chain is whole', async () => {
  const log = inject('postgresLog')
  if (log !== null) expect((await readFile(log, 'utf8')).split(MARK)).toHaveLength(1)
  await expectUnbroken(edge.world)
})
