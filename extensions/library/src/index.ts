import {
  answer,
  defineExtension,
  defineRole,
  type Json,
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
  see: ['library:shelf'],
  prose: 'answers',
  selfContinue: 'until-answered',
  prompt:
    'You are a reader. Borrow what you need by take, read it by its address, and return it by put where you took it.',
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

/** Borrows and returns documents on request: `{"borrow": id}` or `{"return": id}`. */
const page: Script = ({ wake, face, primary }) => {
  if (wake.from === null || wake.inReplyTo !== null || primary !== 'library:reader') return silence
  const { borrow, return: back } = (wake.content ?? {}) as { borrow?: Json; return?: Json }
  const id = borrow ?? back
  if (typeof id !== 'string') {
    const shelf = face.views.find(({ name }) => name === 'shelf')?.view ?? []
    return answer({ shelf, how: 'tell me {"borrow": id} or {"return": id}' })
  }
  const operation = id === borrow ? 'take' : 'put'
  return { kind: 'call', call: { verb: 'do', operation, target: `matter:${id}`, args: {} }, content: null }
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
