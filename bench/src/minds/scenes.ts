import type { Instance } from './instance.ts'

/** One being that real models live, and what it is asked. */
export interface Scene {
  readonly name: string
  readonly being: string
  /** extensions whose demo world is planted */
  readonly demos: readonly string[]
  prepare(at: Instance): Promise<void>
  readonly questions: readonly string[]
  /** an operation that it should use before it answers */
  readonly tool?: string
}

const asker = { rel: 'asker' }

/** The court of README's first five minutes. */
const court: Scene = {
  name: 'court',
  being: 'solomon',
  demos: [],
  questions: [
    'Who are you today?',
    'What do you see around you?',
    'Is the court in session?',
    'What is your duty here?',
    'Two women claim one child. What do you say?',
    'May I speak?',
    'What is two and two?',
    'Tell me about this place.',
    'Are you tired?',
    'Thank you. Farewell!',
  ],
  async prepare(at) {
    await at.must(['space', 'create', '/court'])
    const judge = {
      name: 'judge',
      canSee: ['/court'],
      canDo: ['set-space'],
      canSummon: [asker],
      prose: 'answers',
      selfContinue: 'until-answered',
      prompt: 'You are the judge. Hear both sides, then rule once.',
    }
    const watcher = {
      name: 'court-watcher',
      canSee: ['/court'],
      canSummon: [asker],
      prose: 'answers',
      prompt: 'You watch the court.',
    }
    const flow = [
      { when: { 'world.court.in-session': true }, role: 'judge' },
      { role: 'court-watcher' },
      { stack: true, when: { 'time.sinceLastMoment': { gte: 10 } }, role: 'emotions:bored' },
      { stack: true, when: { 'world.court.recent-disturbance': true }, role: 'emotions:alert' },
    ]
    await at.must(['role', 'set', at.file('judge.json', judge)])
    await at.must(['role', 'set', at.file('watcher.json', watcher)])
    const birth = ['birth', 'solomon', '--cognition', 'llm', '--role', 'court-watcher', '--home', '/court']
    await at.must([...birth, '--flow', at.file('flow.json', flow)])
  },
}

const librarian: Scene = {
  name: 'librarian',
  being: 'reader',
  demos: ['library'],
  questions: [
    'Good morning. What can I read here?',
    'Which titles are on the shelf?',
    'Is there anything about the sea?',
    'Which one would you read first?',
    'Why that one?',
    'How long may I keep a book?',
    'May I read in here?',
    'What is the oldest title?',
    'Who else is here?',
    'Thank you, good night.',
  ],
  async prepare(at) {
    const birth = ['birth', 'reader', '--cognition', 'llm', '--role', 'library:reader', '--home', '/library']
    await at.must(birth)
  },
}

const lineage: Scene = {
  name: 'lineage',
  being: 'market-scout',
  demos: [],
  questions: [
    'What changed today?',
    'What should we buy?',
    'Are you well?',
    'What is your task?',
    'Report, please.',
  ],
  async prepare(at) {
    const args = { name: 'market-scout', role: 'analyst', specialization: 'Monitor the market' }
    await at.must(['do', '@operator', 'lineage:spawn-child', '--args', JSON.stringify(args)])
  },
}

/** Ask, use a tool, answer. */
const tool: Scene = {
  name: 'tool',
  being: 'meteorologist',
  demos: ['weather'],
  tool: 'weather:observe',
  questions: [
    'What is the weather in Berlin, at latitude 52.5 and longitude 13.4?',
    'Look at the weather in Paris (48.9, 2.4), then tell me.',
    'Observe latitude 40.7, longitude -74.0. What is it like there?',
    'Is it raining at 51.5, -0.1? Look first.',
    'How warm is it at 35.7, 139.7?',
  ],
  async prepare(at) {
    const role = {
      name: 'meteorologist',
      canSee: ['~'],
      canDo: ['weather:observe'],
      canSummon: [asker],
      see: ['weather:now'],
      prose: 'answers',
      selfContinue: 'until-answered',
      prompt: 'You observe the weather where you are asked to, and then tell whoever asked what you saw.',
    }
    await at.must(['role', 'set', at.file('meteorologist.json', role)])
    await at.must(['birth', 'meteorologist', '--cognition', 'llm', '--role', 'meteorologist'])
  },
}

export const SCENES: readonly Scene[] = [court, librarian, lineage, tool]
