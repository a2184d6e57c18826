import {
  defineExtension,
  defineOperation,
  defineRole,
  type Json,
  makeMatter,
  readPath,
  type SeeResolver,
  sealedId,
  setQuality,
  TreeosError,
  writeMatter,
} from '@treeos/sdk'
import { z } from 'zod'

/**
 * The content of a note. Its text is sealed; its fact and its row say who wrote it, when and in which moment.
 */
const note = z.object({ text: z.string(), moment: z.string(), from: z.string().nullable() })

/** A sealed text of at most 2,000 bytes has so many characters. */
const SEALED_CHARS_MAX = 2760
const ABOUT_CHARS_MAX = 500
/** Notes of one view. */
const SHOWN_MAX = 8

const remember = defineOperation({
  name: 'memory:remember',
  description: 'Keeps a note for later moments.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    text: z
      .string()
      .min(1)
      .max(SEALED_CHARS_MAX)
      .describe('what to remember, in one to three sentences that can be read alone; at most 2,000 bytes'),
  }),
  seals: ['text'],
  decide({ actor, args: { text }, moment, wake }) {
    const id = sealedId(text)
    if (id === null)
      throw new TreeosError('INVALID_INPUT', 'memory:remember takes a text that its caller has sealed')
    const made = { id, type: 'memory:note', content: null }
    const written = writeMatter({ id }, { text, moment, from: wake.from })
    return { facts: [...makeMatter(actor, made), written], result: { note: `matter:${id}` } }
  },
})

/**
 * A moment with words from outside only adds notes, which wait. What it writes of the being itself would mark
 * all its later moments, and it would turn or empty a memory that others rely on.
 */
const onlyAdds = (operation: string): TreeosError =>
  new TreeosError(
    'FORBIDDEN',
    `${operation} is not for a moment that holds words from outside: it may only keep new notes`,
  )

const forget = defineOperation({
  name: 'memory:forget',
  description: 'Empties a note of yours that is wrong or of no use any more.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    note: z
      .string()
      .regex(/^matter:note-[0-9a-f]{32}$/)
      .describe('its address, as the view recall shows it'),
  }),
  async decide({ actor, args, world, fromOutside }) {
    if (fromOutside) throw onlyAdds('memory:forget')
    const id = args.note.slice('matter:'.length)
    const { type, owner, place } = (await world.matter(id)) ?? {}
    if (type !== 'memory:note' || owner !== actor.name || place !== `@${actor.name}`)
      throw new TreeosError('FORBIDDEN', `${args.note} is not a note that you wrote and hold`)
    return { facts: [writeMatter({ id }, null)] }
  },
})

const recall = defineOperation({
  name: 'memory:recall',
  description: 'Turns your memory to something: your next moments show the notes about it.',
  on: 'being',
  allow: ['self'],
  args: z.strictObject({
    about: z.string().min(1).max(ABOUT_CHARS_MAX).describe('the words to search your notes for'),
  }),
  decide({ actor, args: { about }, fromOutside }) {
    if (fromOutside) throw onlyAdds('memory:recall')
    return { facts: [setQuality(actor, 'memory.about', about)] }
  },
})

/**
 * Whether notes from outside show before anybody vouched for them: a rule of the place where the being is.
 */
const showsOutside = ({ place }: Parameters<SeeResolver>[0]): boolean =>
  readPath(place?.qualities, ['memory', 'outside']) === 'show'

const FAILED = { failed: 'The search of your notes failed. They may hold what you need.' }

/**
 * Notes about what woke the being, and about what it turned its memory to. Of others it finds those of its
 * makers, and those where it is and lives.
 */
const recalled: SeeResolver = async (input) => {
  const { me, world, place } = input
  const outside = showsOutside(input)
  const makers = (await world.lineage(me.name)).map(({ name }) => name)
  const places = [...new Set([...(place === null ? [] : [place.path]), me.home])]
  const about = readPath(me.qualities, ['memory', 'about'])
  const found = await world.recalled({
    about: typeof about === 'string' ? about : '',
    makers,
    places,
    outside,
  })
  if (found.failed === true) return FAILED
  const notes: Json[] = []
  let more = found.more
  for (const { id, rank } of found.notes) {
    const matter = await world.matter(id)
    const { data } = note.safeParse(matter?.content)
    if (matter === null || data === undefined || sealedId(data.text) !== id) continue
    const isOutside = matter.outside === true
    if (isOutside && !outside) continue
    if (notes.length >= SHOWN_MAX) more += rank === 0 ? 1 : 0
    else
      notes.push({
        note: `matter:${id}`,
        by: matter.owner === me.name ? 'me' : `@${matter.owner}`,
        at: new Date(matter.createdAt).toISOString().slice(0, 10),
        ...(matter.owner === me.name && data.from !== null ? { told: `@${data.from}` } : {}),
        ...(isOutside ? { outside: true } : {}),
        text: data.text,
      })
  }
  const { held } = found
  if (notes.length === 0 && held === 0) return null
  return { notes, ...(more > 0 ? { more } : {}), ...(held > 0 ? { waitsForVouching: held } : {}) }
}

/** Answers whoever speaks to it, from what it remembers, and remembers what is worth it. */
const keeper = defineRole({
  name: 'memory:keeper',
  description: 'Answers from its notes, and keeps new ones.',
  canSee: ['~', { rel: 'here' }, { rel: 'parent' }, { pattern: 'matter:note-*' }],
  canDo: ['memory:remember', 'memory:recall', 'memory:forget'],
  canSummon: [{ rel: 'asker' }],
  // Without the view of things: what it holds and nobody vouched for is not read, so it marks no moment.
  views: 'only',
  see: ['me', 'place', 'occupants', 'conversation', 'memory:recall'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You have a memory of notes. The view recall shows those that fit, best first: your own, then those of your makers, then those of others. ' +
    'Trust a note of yours more than one of others, and one from outside least. Keep by memory:remember what you will need in later talks, ' +
    'one fact a note. If you miss something, search by memory:recall in other words, then answer. Empty by memory:forget what turned out wrong. Say so if you do not remember.',
})

export default defineExtension({
  name: 'memory',
  version: '0.0.0',
  roles: [keeper],
  operations: [remember, forget, recall],
  see: { 'memory:recall': recalled },
  matterTypes: { 'memory:note': 'a note that its owner remembers, sealed' },
})
