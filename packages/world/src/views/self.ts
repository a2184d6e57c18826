import {
  asJson,
  type CitedFact,
  type Json,
  type JsonObject,
  readPath,
  SPEECH_KIND,
  stanceOf,
  utf8Length,
} from '@treeos/core'
import type { SeeResolver } from '../read/face.ts'
import { withoutShadow } from '../rows/qualities.ts'
import { Cut, fitting, VIEW_BOUNDS } from './bounds.ts'

/** The being itself: home, position, qualities, and the kind of its last act. Its flow is not shown. */
export const me: SeeResolver = async ({ me: self, world, lastSealed }) => {
  const cut = new Cut()
  const { roleFlow: _flow, ...all } = withoutShadow(self.qualities)
  const qualities = cut.object(all, VIEW_BOUNDS.valueBytes, 'qualities')
  return asJson({
    ...(self.coord === undefined ? {} : { coord: self.coord }),
    ...cut.field,
    home: self.home,
    lastAct:
      lastSealed === null
        ? null
        : {
            at: new Date(lastSealed.sealedAt).toISOString(),
            did: (await world.did()).map(shownDeed),
            role: lastSealed.primary,
          },
    ...(self.parent === null ? {} : { maker: stanceOf(self.parent) }),
    qualities,
  }) as JsonObject
}

/**
 * What was done, and to what, by the address that a call would name. The words of an earlier act are in no
 * moment but the thread's own.
 */
function shownDeed({ kind, ref: [reel], payload }: CitedFact): JsonObject {
  const to = readPath(payload, ['to'])
  if (kind === SPEECH_KIND && typeof to === 'string') return { did: 'spoke', to: stanceOf(to) }
  return { did: kind, on: reel.replace(/^being:/, '@').replace(/^space:/, '') }
}

/**
 * What the being and others said to each other in the thread of its wake, oldest first. The words of the wake
 * are the user message.
 */
export const conversation: SeeResolver = async ({ me: self, world }) => {
  const { facts, earlier } = await world.said()
  if (facts.length === 0) return null
  const cut = new Cut()
  const words = facts.map((fact) => shownWords(fact, self.name))
  let bytes = 0
  let first = words.length
  while (first > 0) {
    bytes += utf8Length(JSON.stringify(words[first - 1]))
    if (bytes > VIEW_BOUNDS.saidBytes && first < words.length) break
    first -= 1
  }
  const left = earlier + first
  if (left > 0) cut.say(`${left} earlier messages`)
  return { said: words.slice(first), ...cut.field }
}

function shownWords({ ref: [reel], payload }: CitedFact, self: string): JsonObject {
  const from = stanceOf(reel.slice(reel.indexOf(':') + 1))
  if (payload === null) return { from, erased: true }
  const to = readPath(payload, ['to'])
  const said: Json = readPath(payload, ['content']) ?? null
  return {
    from,
    ...(typeof to === 'string' && to !== self ? { to: stanceOf(to) } : {}),
    ...(readPath(payload, ['outside']) === true ? { outside: true } : {}),
    said: fitting(said, VIEW_BOUNDS.textBytes),
  }
}

/** What waits in the being's inbox, without its content: each wake opens a moment of its own. */
export const inbox: SeeResolver = async ({ world }) => {
  const { wakes, more } = await world.waiting()
  const cut = new Cut()
  if (more > 0) cut.say(`${more} more wakes`)
  const waiting = wakes.map(({ kind, from, thread, at }) => ({
    kind,
    from: from === null ? null : stanceOf(from),
    thread,
    since: new Date(at).toISOString(),
  }))
  return { waiting, ...cut.field }
}

/** Open threads that the being has a part in, with the others in them. */
export const threads: SeeResolver = async ({ world }) => {
  const { threads: open, more } = await world.threads()
  const cut = new Cut()
  if (more > 0) cut.say(`${more} more threads`)
  return {
    open: open.map(({ thread, open: waiting, with: others }) => ({
      thread,
      waiting,
      with: others.map(stanceOf),
    })),
    ...cut.field,
  }
}
