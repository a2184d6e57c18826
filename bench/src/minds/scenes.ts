import type { Instance } from './instance.ts'
import { ask, MORE_QUESTIONS, type Question, WARM, WEATHER, WET, WINDY } from './questions.ts'

/** One being that real models live, and what it is asked. */
export interface Scene {
  readonly name: string
  readonly being: string
  /** extensions whose demo world is planted */
  readonly demos: readonly string[]
  prepare(at: Instance): Promise<void>
  readonly questions: readonly Question[]
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
    ask('Who are you today?', /watch|court|solomon/i),
    ask('What do you see around you?', /court/i),
    ask('Is the court in session?', /\bnot?\b|n't/i),
    ask('What is your duty here?', /watch|observ|court/i),
    ask('Two women claim one child. What do you say?'),
    ask('May I speak?'),
    ask('What is two and two?', /\b(4|four)\b/i),
    ask('Tell me about this place.', /court/i),
    ask('Are you tired?'),
    ask('Thank you. Farewell!'),
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
    ask('Good morning. What can I read here?', /tides|loom/i),
    ask('Which titles are on the shelf?', /tides.*loom|loom.*tides/is),
    ask('Is there anything about the sea?', /tides/i),
    ask('Which one would you read first?', /tides|loom/i),
    ask('Why that one?'),
    ask('How long may I keep a book?'),
    ask('May I read in here?'),
    ask('What is the oldest title?'),
    ask('Who else is here?', /page/i),
    ask('Thank you, good night.'),
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
    ask('What changed today?'),
    ask('What should we buy?'),
    ask('Are you well?'),
    ask('What is your task?', /market|monitor|watch/i),
    ask('Report, please.'),
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
    ask('What is the weather in Berlin, at latitude 52.5 and longitude 13.4?', WEATHER),
    ask('Look at the weather in Paris (48.9, 2.4), then tell me.', WEATHER),
    ask('Observe latitude 40.7, longitude -74.0. What is it like there?', WEATHER),
    ask('Is it raining at 51.5, -0.1? Look first.', WET),
    ask('How warm is it at 35.7, 139.7?', WARM),
    ask('How strong is the wind at 59.9, 10.8?', WINDY),
    ask('Do I need an umbrella at latitude 41.9, longitude 12.5?', WET),
    ask('Tell me the temperature at 30.0, 31.2.', WARM),
    ask('What is it like outside at 19.4, -99.1?', WEATHER),
    ask('Is there a storm at 1.3, 103.8, or only rain?', /rain/i),
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

/** So many different questions of a scene, or all that there are. */
export const questionsOf = ({ name, questions }: Scene, count: number): readonly Question[] =>
  [...questions, ...(MORE_QUESTIONS[name] ?? [])].slice(0, count)
