import type { Spec } from './spec.ts'

const WAKES: Readonly<Record<string, string>> = {
  message: 'somebody speaks to it',
  schedule: 'its schedule comes',
  change: 'something changes that it watches',
  idle: 'nothing happened for a while',
}
const MINDS: Readonly<Record<string, string>> = { llm: 'a model', human: 'a person', scripted: 'a script' }

/** For each field how it reads as a sentence; null: it is as every role is, so there is nothing to say. */
const SENTENCES: Readonly<Record<string, (value: unknown) => string | null>> = {
  triggerOn: (value) => {
    const wakes = Array.isArray(value) ? value.map((one) => WAKES[String(one)] ?? String(one)) : []
    return wakes.length === 0
      ? 'Nothing wakes its wearer.'
      : `Its wearer is woken when ${listed(wakes, 'or')}.`
  },
  requiredCognition: (value) =>
    value === null ? null : `Only ${MINDS[String(value)] ?? String(value)} can wear it.`,
  selfContinue: (value) =>
    value === true
      ? 'After each act its wearer goes on by itself.'
      : value === 'until-answered'
        ? 'Its wearer goes on by itself until it has answered.'
        : null,
  steps: (value) =>
    `For one question it takes at most ${value} ${value === 1 ? 'step' : 'steps'} of its own.`,
  forceToolCall: (value) => (value === true ? 'When asked, it has to act: words alone do not count.' : null),
  prose: (value) => (value === 'answers' ? 'What it writes without an act is its answer.' : null),
  respondMode: (value) => (value === 'none' ? 'It answers nobody.' : null),
  onAnswers: (value) => (value === 'all' ? 'Of others that it asks, it hears all before it acts.' : null),
  defaultOrientation: (value) =>
    value === 'half'
      ? 'It looks half at the world and half at itself.'
      : value === 'inward'
        ? 'It looks at itself, not at the world.'
        : null,
  views: (value) =>
    value === 'only' ? 'Of what is around it, its prompt holds only the views below.' : null,
  layout: (value) =>
    value === 'stable-first'
      ? 'Its prompt begins with what seldom changes, so that models can keep it.'
      : null,
}

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(SENTENCES),
  ...['name', 'description', 'prompt', 'canSee', 'canDo', 'canSummon', 'canBe', 'see', 'permissions'],
])

/**
 * What a role says of its wearer beside lists and prompt, in sentences; a field that has no sentence says
 * itself.
 */
export function sentencesOfRole(spec: Spec): string[] {
  const known = Object.entries(SENTENCES).flatMap(([field, say]) => {
    const sentence = spec[field] === undefined ? null : say(spec[field])
    return sentence === null ? [] : [sentence]
  })
  const others = Object.entries(spec)
    .filter(([field, value]) => !KNOWN.has(field) && value !== undefined && value !== null)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [...known, ...others]
}

/** `a, b or c`. */
const listed = (words: readonly string[], join: 'and' | 'or'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${join} ${words.at(-1)}`
