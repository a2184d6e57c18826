import {
  answer,
  asJson,
  defineExtension,
  defineRole,
  type Json,
  perform,
  type RoleFlow,
  type Script,
  silence,
} from '@treeos/sdk'
import { summarize } from './summarize.ts'

/** Lowers the voice of a being in a quiet space. It has only a prompt, so it adds no permission. */
const voice = defineRole({
  name: 'library:voice',
  prompt: 'It is quiet here. Speak softly and briefly, and let others read.',
})
/** Reads, borrows and returns documents. The rules of the space say what may be taken. */
const reader = defineRole({
  name: 'library:reader',
  canSee: ['/library', { pattern: 'matter:*' }],
  canDo: ['take', 'put'],
  canSummon: [{ rel: 'asker' }],
  see: ['library:shelf', 'occupants', 'conversation'],
  views: 'only',
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You are a reader in a library. [shelf] lists all that there is to read, by its title: tell whoever asks from it. To know what a document says, see its id. Take one only where somebody wants to borrow it, and put it back when asked.',
})

/** Documents of one place that the view shows. Each one is a read of a whole row. */
const SHELF_MAX = 50

/** Clause for any flow: stacks the quiet voice while the being is in a space whose tone is quiet. */
export const quiet: RoleFlow = [
  { stack: true, when: { 'space.quality.ambient.tone': 'quiet' }, role: 'library:voice' },
]

interface Document {
  readonly title: string
}
const isDocument = (content: Json): content is Json & Document =>
  typeof content === 'object' && content !== null && 'title' in content && typeof content.title === 'string'

/** A document as the shelf shows it. */
interface ShelvedDocument {
  readonly id: string
  readonly title: string
  readonly at: string
}

/**
 * Borrows and returns documents on request: `{"borrow": id}`, `{"return": id}`, or words that begin so and
 * name one. Other JSON gets the shelf as JSON, and words get it in words, as does whoever waits for a deed.
 */
const page: Script = ({ wake, face, primary }) => {
  if (wake.from === null || wake.inReplyTo !== null || primary !== 'library:reader') return silence
  const shelf = (face.views.find(({ name }) => name === 'shelf')?.view ??
    []) as unknown as readonly ShelvedDocument[]
  if (wake.kind === 'continue') return answer(inWords(shelf))
  const { borrow, return: back } = requestIn(wake.content, shelf)
  const id = borrow ?? back
  if (typeof id === 'string') return perform(id === borrow ? 'take' : 'put', `matter:${id}`)
  return answer(typeof wake.content === 'string' ? inWords(shelf) : { shelf: asJson(shelf) })
}

function requestIn(content: Json, shelf: readonly ShelvedDocument[]): { borrow?: Json; return?: Json } {
  if (typeof content !== 'string') return (content ?? {}) as { borrow?: Json; return?: Json }
  const [, verb = ''] = /^\W*(?:please )?(borrow|return)\b/i.exec(content) ?? []
  const words = content.toLowerCase()
  const named = shelf.find(({ id, title }) => words.includes(title.toLowerCase()) || words.includes(id))
  return verb === '' || named === undefined ? {} : { [verb.toLowerCase()]: named.id }
}

function inWords(shelf: readonly ShelvedDocument[]): string {
  const titles = (isHeld: boolean) =>
    shelf.flatMap(({ title, at }) => (at.startsWith('@') === isHeld ? [title] : [])).join(', ')
  return `On the shelf: ${titles(false) || 'nothing'}. In my hands: ${titles(true) || 'nothing'}.`
}

const document = (id: string, title: string, text: string) => ({
  verb: 'do' as const,
  operation: 'create-matter',
  target: '/library',
  args: { id, type: 'library:document', content: { title, text } },
})

export default defineExtension({
  name: 'library',
  version: '0.0.0',
  roles: [voice, reader],
  clauses: quiet,
  skills: [summarize],
  see: {
    /** id, title and place of the documents in the being's space and in its hands */
    'library:shelf': async ({ me, world }) => {
      const shelf: Json[] = []
      for (const place of [me.space, `@${me.name}`]) {
        for (const id of (await world.matters(place)).slice(0, SHELF_MAX)) {
          const matter = await world.matter(id)
          if (matter?.type === 'library:document' && isDocument(matter.content))
            shelf.push({ id, title: matter.content.title, at: place })
        }
      }
      return shelf
    },
  },
  scripts: { 'library:page': page },
  matterTypes: { 'library:document': 'a text with a title' },
  // Every reality has the space /library.
  scene: [
    {
      verb: 'do',
      operation: 'set-space',
      target: '/library',
      args: { field: 'ambient.tone', value: 'quiet' },
    },
    {
      verb: 'do',
      operation: 'set-space',
      target: '/library',
      args: { field: 'permissions.do.take', value: true },
    },
    document('tides', 'On Tides', 'Twice a day the sea comes in, and twice it goes.'),
    document('looms', 'Looms and Weavers', 'The warp is tied before the first thread of weft is thrown.'),
    {
      verb: 'be',
      operation: 'birth',
      args: {
        name: 'page',
        cognition: 'scripted',
        script: 'library:page',
        role: 'library:reader',
        home: '/library',
        roleFlow: quiet,
      },
    },
  ],
})
